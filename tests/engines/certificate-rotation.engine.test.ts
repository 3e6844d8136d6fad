/**
 * What docs/operations/secrets.md says about certificates, on a running installation whose engines all speak TLS: the same
 * authority renews them, then the authority changes, and no request fails. A process that trusts the former authority alone
 * is refused and logs why.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import tls from 'node:tls';
import type { Env } from '@audiosplit/chassis/process/env';
import { until } from '@audiosplit/chassis/testing/until';
import { sourceFlags } from '../../deploy/launcher.mjs';
import { freePort } from '../../deploy/provision/free-port.ts';
import type { ProcessesInstallation } from '../harness/installation/processes.ts';
import {
  makeAuthority,
  type PrivateAuthority,
  type SecuredEngines,
  startSecuredEngines,
} from '../harness/installation/secured-engines.ts';
import { environmentBeside, startSingleProcess } from '../harness/installation/single-process.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';
import { startSteadyLoad } from '../harness/load/steady-load.ts';
import { type Sources, startSources } from '../harness/servers/sources.ts';

const CODE = 'compiled';
const REQUESTS_PER_MINUTE = 100_000;
const TIMEOUT_MS = 60_000;

let scratch: string;
let engines: SecuredEngines | undefined;
let installation: ProcessesInstallation | undefined;
let sources: Sources;
/** The authorities that every process trusts, read at the start of each. */
let trustedFile: string;
let former: PrivateAuthority;
let next: PrivateAuthority;

before(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'audiosplit-certificates-'));
  await chmod(scratch, 0o711);
  trustedFile = join(scratch, 'trusted.pem');
  former = await makeAuthority(scratch, 'former');
  next = await makeAuthority(scratch, 'next');
  await trust(former);
  engines = await startSecuredEngines(join(scratch, 'engines'), former);
  sources = await startSources();
});
after(async () => {
  await installation?.[Symbol.asyncDispose]();
  await engines?.[Symbol.asyncDispose]();
  await sources?.[Symbol.asyncDispose]();
  await rm(scratch, { recursive: true, force: true });
});

/** In processes that start from now on, and in this one. */
async function trust(...authorities: readonly PrivateAuthority[]): Promise<void> {
  const texts = await Promise.all(
    authorities.map(({ certificateFile }) => readFile(certificateFile, 'utf8')),
  );
  await writeFile(trustedFile, texts.join(''));
  tls.setDefaultCACertificates(texts);
}

test('certificates are renewed, and then their authority, under load and without a failed request', async (t) => {
  assert.ok(engines !== undefined);
  installation = await startInstallation({
    kind: 'processes',
    name: 'certificates',
    engines: engines.endpoints,
    dataDir: scratch,
    code: CODE,
    balancer: true,
    env: {
      ...engines.kafkaLogin,
      NODE_EXTRA_CA_CERTS: trustedFile,
      DRAIN_DELAY_SECONDS: '2',
      DRAIN_GRACE_SECONDS: '2',
    },
  });
  const { processes, env } = installation;
  const account = await installation.openAccount({
    limits: {
      requestsPerMinute: REQUESTS_PER_MINUTE,
      concurrentJobs: 50,
      monthlyMinutes: REQUESTS_PER_MINUTE,
    },
  });
  const restartAll = () => processes.replaceAll((name, message) => t.diagnostic(`${name} ${message}`));

  const load = startSteadyLoad(account, { fast: sources.url(), slow: sources.url() });
  try {
    await until(() => load.hasUsedEverything(), 'every kind of request has been answered once');
    await engines.renew(former);
    await trust(former, next);
    await restartAll();

    await engines.renew(next);
    // Processes that connect anew before the last round trust both.
    for (const name of ['jobs', 'gateway-0']) await (await processes.replace(name)).left;
    await refuseThoseOfTheFormer(installation);

    await trust(next);
    await restartAll();
  } finally {
    const { answered, failures } = await load.stop();
    t.diagnostic(`${JSON.stringify(answered)} answered`);
    assert.deepEqual(failures, []);
  }
  await backUp(env);
});

/** The engines' certificates are those of the next authority; these processes know the former alone. */
async function refuseThoseOfTheFormer(beside: ProcessesInstallation): Promise<void> {
  const start = (name: string, env: Env = {}) =>
    startSingleProcess({
      name,
      code: CODE,
      env: {
        ...environmentBeside(beside),
        NODE_EXTRA_CA_CERTS: former.certificateFile,
        SCRATCH_DIR: join(scratch, 'beside'),
        ...env,
      },
      logFile: join(scratch, `beside-${name}.log`),
    });
  const refused = async (name: string, engine: string) => {
    const { end, log } = start(name);
    assert.equal(await end, 1);
    const line = log()
      .split('\n')
      .find((each) => each.startsWith(`audiosplit-${name}:`));
    assert.match(
      line ?? '',
      new RegExp(`${engine} at localhost:\\d+ .*certificate is not taken .*NODE_EXTRA_CA_CERTS`),
    );
  };
  /** It starts, counts requests by itself, and serves what needs no files. */
  const degraded = async () => {
    const port = await freePort();
    const gateway = start('gateway', { PORT: String(port) });
    const lacksStore = async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
      return answer?.status === 200 && (await answer.text()).includes('"store":"failing"');
    };
    try {
      await until(lacksStore, 'the gateway says that it lacks the store', TIMEOUT_MS);
      const lines = gateway
        .log()
        .split('\n')
        .filter((line) => line.includes('NODE_EXTRA_CA_CERTS'));
      for (const complaint of [/Redis does not count/, /"dependency":"store","msg":"not ready/])
        assert.ok(
          lines.some((line) => complaint.test(line)),
          `${complaint} in ${lines.join('\n')}`,
        );
    } finally {
      await gateway.stop(TIMEOUT_MS);
    }
  };
  await Promise.all([refused('jobs', 'Postgres'), refused('splitter', 'Kafka'), degraded()]);
}

/** As an operator does, whose tools trust what the processes trust: our own, and those of PostgreSQL that they run. */
async function backUp(env: Env): Promise<void> {
  const folder = join(scratch, 'backup');
  const command = resolve(import.meta.dirname, '../../deploy/operations/main.ts');
  const child = spawn(process.execPath, [...sourceFlags, command, 'backup', folder], {
    env: { ...env },
    stdio: 'inherit',
  });
  const [code] = await once(child, 'exit');
  assert.equal(code, 0);
  assert.ok(existsSync(join(folder, 'manifest.json')));
}
