/**
 * What docs/operations/secrets.md says about the four secrets, done to a running installation: they are changed under load and
 * nobody notices, and those that have leaked are replaced at once, with what that costs.
 */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { systemClock } from '@audiosplit/chassis/clock';
import { createCaller, remoteAddress } from '@audiosplit/chassis/rpc/client';
import { verifyLink } from '@audiosplit/chassis/secrets/signed-url';
import { until } from '@audiosplit/chassis/testing/until';
import { type Audiosplit, AudiosplitError, createAudiosplit } from '@audiosplit/client';
import { BillingService } from '@audiosplit/proto/billing/v1/billing';
import { Code, ConnectError } from '@connectrpc/connect';
import { reseal } from '../../deploy/operations/reseal.ts';
import { servicePort } from '../../deploy/processes/process/service-port.ts';
import type { ProcessesInstallation } from '../harness/installation/processes.ts';
import {
  type SystemEngines,
  sharedEngines,
  systemEnvironment,
} from '../harness/installation/shared-engines.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';
import { startSteadyLoad } from '../harness/load/steady-load.ts';
import { type Sources, startSources, TOUR_SAMPLE_PATH } from '../harness/servers/sources.ts';

const NAMES = ['INTERNAL_SECRET', 'AUTH_SECRET', 'WEBHOOKS_SECRET', 'DOWNLOAD_SECRET'] as const;
type Secrets = Readonly<Record<(typeof NAMES)[number], string>>;

const REQUESTS_PER_MINUTE = 100_000;
const SPLIT = { splitMode: 'duration', segmentDuration: 20 } as const;

let scratch: string;
let engines: SystemEngines;
let port: number;
let sources: Sources;
let present: Secrets;
/** Of every process that starts from now on. */
let secrets: Secrets;
let installation: ProcessesInstallation | undefined;
const secretsOf = (valueNamed: (name: keyof Secrets) => string) =>
  Object.fromEntries(NAMES.map((name) => [name, valueNamed(name)])) as Secrets;
const generation = (named: string) =>
  secretsOf((name) => `${named} value of ${name}, long enough for all the tests there are`);
const inTurn = (first: Secrets, second: Secrets) => secretsOf((name) => `${first[name]}\n${second[name]}`);

before(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'audiosplit-rotation-'));
  engines = await sharedEngines('rotation');
  const environment = systemEnvironment(engines, scratch);
  present = secretsOf((name) => environment[name] ?? '');
  port = await servicePort();
  sources = await startSources();
});
after(async () => {
  await installation?.[Symbol.asyncDispose]();
  await sources?.[Symbol.asyncDispose]();
  await rm(scratch, { recursive: true, force: true });
});

const start = async (first: Secrets): Promise<ProcessesInstallation> => {
  secrets = first;
  installation = await startInstallation({
    kind: 'processes',
    name: 'rotation',
    engines,
    dataDir: scratch,
    balancer: { port },
    env: { ...first, DRAIN_DELAY_SECONDS: '2', DRAIN_GRACE_SECONDS: '2' },
    // Read at each start, as a pod reads its Secret.
    hooks: {
      launch: (spec) => ({
        ...spec,
        get env() {
          return { ...spec.env, ...secrets };
        },
      }),
    },
  });
  return installation;
};

const asService = ({ rpcUrls }: ProcessesInstallation, { INTERNAL_SECRET: internalSecret }: Secrets) =>
  createCaller({ service: 'gateway', internalSecret, clock: systemClock }).client(
    BillingService,
    remoteAddress(rpcUrls.billing ?? ''),
  );

const refusedWith = (code: string) => (error: unknown) =>
  error instanceof AudiosplitError && error.code === code;
const asStranger = (error: unknown) => ConnectError.from(error).code === Code.Unauthenticated;

async function linkOf(client: Audiosplit, jobId: string): Promise<string> {
  const job = await client.getSplit(jobId);
  assert.ok(job.status === 'completed');
  return job.segments[0]?.downloadUrl ?? '';
}

async function fetchStatus(link: string) {
  const response = await fetch(link);
  const body = await response.text();
  return response.ok ? response.status : [response.status, JSON.parse(body).error.code];
}

test('secrets change under load, in three rounds; afterwards the former ones are worth nothing', async (t) => {
  const first = await start(present);
  const { baseUrl } = first;
  const limits = {
    requestsPerMinute: REQUESTS_PER_MINUTE,
    concurrentJobs: 50,
    monthlyMinutes: REQUESTS_PER_MINUTE,
  };
  const { id: accountId, client, credentials } = await first.openAccount({ limits });
  const other = await first.openAccount({ limits });

  const request = { ...SPLIT, sourceUrl: sources.url() };
  const once = { idempotencyKey: 'from before' };
  const job = await client.createSplit(request, once);
  await client.waitForJob(job.id);
  const formerLink = await linkOf(client, job.id);
  const uploaded = await client.uploadSource(await readFile(TOUR_SAMPLE_PATH));
  const { secret: webhookSecret } = await client.getWebhookSecret();

  const next = generation('the next');
  const change = async (to: Secrets) => {
    secrets = to;
    await first.processes.replaceAll((name, message) => t.diagnostic(`${name} ${message}`));
  };
  const load = startSteadyLoad(other, { fast: sources.url(), slow: sources.url() });
  try {
    await until(() => load.hasUsedEverything(), 'every kind of request has been answered once');
    await change(inTurn(present, next));
    assert.equal(
      verifyLink('GET', await linkOf(client, job.id), new Date(), present.DOWNLOAD_SECRET).status,
      'valid',
    );

    await change(inTurn(next, present));
    assert.equal(
      verifyLink('GET', await linkOf(client, job.id), new Date(), next.DOWNLOAD_SECRET).status,
      'valid',
    );
    assert.equal(await fetchStatus(formerLink), 200);
    for (const known of [present, next]) await asService(first, known).getLimits({ accountId });
    assert.equal((await client.createSplit(request, once)).id, job.id);
    const { id } = await client.createSplit({ ...SPLIT, sourceUrl: uploaded });
    await client.waitForJob(id);
    for (const [service, name] of [
      ['auth', 'AUTH_SECRET'],
      ['webhooks', 'WEBHOOKS_SECRET'],
    ] as const) {
      const { databaseUrl } = engines;
      const values = { secret: secrets[name], nextSecret: next[name] };
      assert.ok((await reseal({ databaseUrl, service, ...values })) > 0);
    }

    await change(next);
  } finally {
    const { answered, failures } = await load.stop();
    t.diagnostic(`${JSON.stringify(answered)} answered`);
    assert.deepEqual(failures, []);
  }
  assert.deepEqual(await fetchStatus(formerLink), [403, 'INVALID_SIGNATURE']);
  assert.equal(await fetchStatus(await linkOf(client, job.id)), 200);
  await assert.rejects(asService(first, present).getLimits({ accountId }), asStranger);
  await createAudiosplit({ baseUrl }).login(credentials);
  assert.equal((await client.getWebhookSecret()).secret, webhookSecret);

  // As after a leak: nothing that the former values signed is to hold for a moment longer.
  const link = await linkOf(client, job.id);
  await client.createSplit(request, { idempotencyKey: 'before the leak' });
  await first[Symbol.asyncDispose]();
  const { INTERNAL_SECRET, DOWNLOAD_SECRET } = generation('a new');
  const renewed = await start({ ...next, INTERNAL_SECRET, DOWNLOAD_SECRET });
  assert.deepEqual(await fetchStatus(link), [403, 'INVALID_SIGNATURE']);
  assert.equal(await fetchStatus(await linkOf(client, job.id)), 200);
  await assert.rejects(asService(renewed, next).getLimits({ accountId }), asStranger);
  await assert.rejects(
    client.createSplit(request, { idempotencyKey: 'before the leak' }),
    refusedWith('IDEMPOTENCY_KEY_REUSED'),
  );
  await assert.rejects(client.createSplit({ ...SPLIT, sourceUrl: uploaded }), refusedWith('INVALID_PARAMS'));
  const { id } = await client.createSplit(request);
  await client.waitForJob(id);
});
