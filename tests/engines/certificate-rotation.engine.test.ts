/**
 * Tests the statements of docs/operations/secrets.md about certificates on a running installation whose
 * engines all use TLS: the same authority renews them, then the authority changes, and no request fails. A
 * process that trusts only the former authority is refused and logs the reason.
 */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import tls from 'node:tls';
import type { Env } from '@audiosplit/chassis/process/env';
import { until } from '@audiosplit/chassis/testing/until';
import type { Process } from '@audiosplit/proto/callers';
import { sourceFlags } from '../../deploy/launcher.mjs';
import { freePort } from '../../deploy/provision/free-port.ts';
import { UNLIMITED } from '../harness/accounts/limits.ts';
import type { ProcessesInstallation } from '../harness/installation/processes.ts';
import {
  makeAuthority,
  type PrivateAuthority,
  startSecuredEngines,
} from '../harness/installation/secured-engines.ts';
import { environmentBeside, startSingleProcess } from '../harness/installation/single-process.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';
import { startSteadyLoad } from '../harness/load/steady-load.ts';
import { runNode } from '../harness/runner/run-node.ts';
import { startSources } from '../harness/servers/sources.ts';
import { stackOfFile } from '../harness/stack-of-file.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

const CODE = 'compiled';
const TIMEOUT_MS = 60_000;

const resources = stackOfFile();
const { path: scratch } = resources.use(await temporaryFolder());
await chmod(scratch, 0o711);
/** The file with the authorities that every process trusts, read at the start of each. */
const trustedFile = join(scratch, 'trusted.pem');
const former = await makeAuthority(scratch, 'former');
const next = await makeAuthority(scratch, 'next');
await trust(former);
const sources = resources.use(await startSources());
const engines = resources.use(await startSecuredEngines(join(scratch, 'engines'), former));

/** For processes that start from now on, and for this one. */
async function trust(...authorities: readonly PrivateAuthority[]): Promise<void> {
  const texts = await Promise.all(
    authorities.map(({ certificateFile }) => readFile(certificateFile, 'utf8')),
  );
  await writeFile(trustedFile, texts.join(''));
  tls.setDefaultCACertificates(texts);
}

test('certificates and then their authority are renewed under load without a failed request', async (t) => {
  await using installation = await startInstallation({
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
  const account = await installation.openAccount({ limits: UNLIMITED });
  const restartAll = () => processes.replaceAll((name, message) => t.diagnostic(`${name} ${message}`));

  const load = startSteadyLoad(account, { fast: sources.url(), slow: sources.url() });
  try {
    await until(() => load.hasUsedEverything(), 'every kind of request has been answered once');
    await engines.renew(former);
    await trust(former, next);
    await restartAll();

    await engines.renew(next);
    // Processes that reconnect before the last round trust both.
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

/** The engines' certificates are from the next authority; these processes trust only the former. */
async function refuseThoseOfTheFormer(beside: ProcessesInstallation): Promise<void> {
  const start = (name: Process, env: Env = {}) =>
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
  const refused = async (name: Process, engine: string) => {
    const { end, log } = start(name);
    assert.equal(await end, 1);
    const refusal = `${engine} at localhost:\\d+ .*certificate is not taken .*NODE_EXTRA_CA_CERTS`;
    assert.match(log(), new RegExp(`^audiosplit-${name}:.*${refusal}`, 'm'));
  };
  /** It starts, counts requests on its own, and serves requests that need no files. */
  const degraded = async () => {
    const port = await freePort();
    const gateway = start('gateway', { PORT: String(port) });
    const lacksStore = async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
      return answer?.status === 200 && (await answer.text()).includes('"store":"failing"');
    };
    try {
      await until(lacksStore, 'the gateway says that it lacks the store', TIMEOUT_MS);
      const lines = gateway.log().split('\n');
      const complaints = lines.filter((line) => line.includes('NODE_EXTRA_CA_CERTS')).join('\n');
      assert.match(complaints, /Redis does not count/);
      assert.match(complaints, /"dependency":"store","msg":"not ready/);
    } finally {
      await gateway.stop(TIMEOUT_MS);
    }
  };
  await Promise.all([refused('jobs', 'Postgres'), refused('splitter', 'Kafka'), degraded()]);
}

/**
 * As an operator does, whose tools trust the same authorities as the processes: our own tools, and those of
 * PostgreSQL that they run.
 */
async function backUp(env: Env): Promise<void> {
  const folder = join(scratch, 'backup');
  const command = [...sourceFlags, 'deploy/operations/main.ts', 'backup', folder];
  assert.equal(await runNode(command, { ...env }), 0);
  assert.ok(existsSync(join(folder, 'manifest.json')));
}
