/**
 * Tests the statements of docs/operations/secrets.md about secrets and the keys of processes on a running
 * installation: they change under load and no request fails; leaked ones are replaced at once, and their
 * signatures become invalid.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { systemClock } from '@audiosplit/chassis/clock';
import {
  environmentOfProcess,
  type IdentityEnvironment,
  keptIdentities,
  makeIdentities,
} from '@audiosplit/chassis/identity/identity-environment';
import { readIdentityKeys } from '@audiosplit/chassis/identity/keys';
import { createCaller, remoteAddress } from '@audiosplit/chassis/rpc/client';
import { verifyLink } from '@audiosplit/chassis/secrets/signed-url';
import { until } from '@audiosplit/chassis/testing/until';
import { type Audiosplit, AudiosplitError, createAudiosplit } from '@audiosplit/client';
import { BillingService } from '@audiosplit/proto/billing/v1/billing';
import type { Process } from '@audiosplit/proto/callers';
import { Code, ConnectError } from '@connectrpc/connect';
import { rotateKeys } from '../../deploy/operations/keys/rotation.ts';
import { reseal } from '../../deploy/operations/reseal.ts';
import { UNLIMITED } from '../harness/accounts/limits.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';
import { startSteadyLoad } from '../harness/load/steady-load.ts';
import { startSources, TOUR_SAMPLE_PATH } from '../harness/servers/sources.ts';
import { stackOfFile } from '../harness/stack-of-file.ts';

const NAMES = ['AUTH_SECRET', 'WEBHOOKS_SECRET', 'DOWNLOAD_SECRET'] as const;
type Secrets = Readonly<Record<(typeof NAMES)[number], string>>;

const SPLIT = { splitMode: 'duration', segmentDuration: 20 } as const;

/** For every process that starts from now on; overrides the installation's initial values. */
let current: Partial<Secrets & IdentityEnvironment> = {};
const secretsOf = (valueNamed: (name: keyof Secrets) => string) =>
  Object.fromEntries(NAMES.map((name) => [name, valueNamed(name)])) as Secrets;
const generation = (named: string) =>
  secretsOf((name) => `${named} value of ${name}, long enough for all the tests there are`);
const inTurn = (first: Secrets, second: Secrets) => secretsOf((name) => `${first[name]}\n${second[name]}`);

const resources = stackOfFile();
const sources = resources.use(await startSources());
const installation = resources.use(
  await startInstallation({
    kind: 'processes',
    name: 'rotation',
    balancer: true,
    env: { DRAIN_DELAY_SECONDS: '2', DRAIN_GRACE_SECONDS: '2' },
    currentEnv: () => current,
  }),
);

/** Calls billing as each process that may, with the given keys. */
function callsWith(keys: IdentityEnvironment, accountId: string): readonly (() => Promise<unknown>)[] {
  const as = (process: Process) =>
    createCaller({
      keys: readIdentityKeys(environmentOfProcess(keys, process), process),
      clock: systemClock,
    }).client(BillingService, remoteAddress(installation.rpcUrls.billing ?? ''));
  return [
    () => as('gateway').listPlans({}),
    () => as('auth').getLimits({ accountId }),
    () => as('jobs').getQuota({ accountId }),
    () => as('operator').getAccountOverrides({ accountId }),
  ];
}

const refusedWith = (code: string) => (error: unknown) =>
  error instanceof AudiosplitError && error.code === code;
const asStranger = (error: unknown) => ConnectError.from(error).code === Code.Unauthenticated;

async function linkOf(client: Audiosplit, jobId: string): Promise<string> {
  const job = await client.getSplit(jobId);
  assert.ok(job.status === 'completed');
  return job.segments[0]?.downloadUrl ?? '';
}

function assertSignedBy(secret: string, link: string): void {
  assert.equal(verifyLink('GET', link, new Date(), secret).status, 'valid');
}

async function fetchStatus(link: string) {
  const response = await fetch(link);
  const body = await response.text();
  return response.ok ? response.status : [response.status, JSON.parse(body).error.code];
}

test('secrets and keys are rotated under load, in three rounds, and the old ones are invalid afterwards', async (t) => {
  const { baseUrl, env, processes } = installation;
  const present = secretsOf((name) => env[name] ?? '');
  const presentKeys = keptIdentities(env) ?? assert.fail('no keys');
  const { id: accountId, client, credentials } = await installation.openAccount({ limits: UNLIMITED });
  const other = await installation.openAccount({ limits: UNLIMITED });

  const request = { ...SPLIT, sourceUrl: sources.url() };
  const once = { idempotencyKey: 'from before' };
  const job = await client.createSplit(request, once);
  await client.waitForJob(job.id);
  const formerLink = await linkOf(client, job.id);
  const uploaded = await client.uploadSource(await readFile(TOUR_SAMPLE_PATH));
  const { secret: webhookSecret } = await client.getWebhookSecret();

  const next = generation('the next');
  const change = async (to: Secrets, keys: IdentityEnvironment) => {
    current = { ...to, ...keys };
    await processes.replaceAll((name, message) => t.diagnostic(`${name} ${message}`));
  };
  let nextKeys = presentKeys;
  const load = startSteadyLoad(other, { fast: sources.url(), slow: sources.url() });
  try {
    await until(() => load.hasUsedEverything(), 'every kind of request has been answered once');
    const added = rotateKeys(presentKeys, 'add');
    await change(inTurn(present, next), added);
    assertSignedBy(present.DOWNLOAD_SECRET, await linkOf(client, job.id));

    const both = inTurn(next, present);
    const used = rotateKeys(added, 'use');
    await change(both, used);
    assertSignedBy(next.DOWNLOAD_SECRET, await linkOf(client, job.id));
    assert.equal(await fetchStatus(formerLink), 200);
    for (const keys of [added, used]) await Promise.all(callsWith(keys, accountId).map((call) => call()));
    assert.equal((await client.createSplit(request, once)).id, job.id);
    const { id } = await client.createSplit({ ...SPLIT, sourceUrl: uploaded });
    await client.waitForJob(id);
    for (const [service, name] of [
      ['auth', 'AUTH_SECRET'],
      ['webhooks', 'WEBHOOKS_SECRET'],
    ] as const) {
      const { databaseUrl } = installation.endpoints;
      const values = { secret: both[name], nextSecret: next[name] };
      assert.ok((await reseal({ databaseUrl, service, ...values })) > 0);
    }

    nextKeys = rotateKeys(used, 'remove');
    await change(next, nextKeys);
  } finally {
    const { answered, failures } = await load.stop();
    t.diagnostic(`${JSON.stringify(answered)} answered`);
    assert.deepEqual(failures, []);
  }
  assert.deepEqual(await fetchStatus(formerLink), [403, 'INVALID_SIGNATURE']);
  assert.equal(await fetchStatus(await linkOf(client, job.id)), 200);
  for (const call of callsWith(presentKeys, accountId)) await assert.rejects(call(), asStranger);
  await Promise.all(callsWith(nextKeys, accountId).map((call) => call()));
  await createAudiosplit({ baseUrl }).login(credentials);
  assert.equal((await client.getWebhookSecret()).secret, webhookSecret);

  // As after a leak: signatures made with the former values must become invalid at once.
  const link = await linkOf(client, job.id);
  await client.createSplit(request, { idempotencyKey: 'before the leak' });
  await installation.stop();
  const { DOWNLOAD_SECRET } = generation('a new');
  current = { ...next, DOWNLOAD_SECRET, ...makeIdentities() };
  await installation.start();
  assert.deepEqual(await fetchStatus(link), [403, 'INVALID_SIGNATURE']);
  assert.equal(await fetchStatus(await linkOf(client, job.id)), 200);
  for (const call of callsWith(nextKeys, accountId)) await assert.rejects(call(), asStranger);
  const repeated = client.createSplit(request, { idempotencyKey: 'before the leak' });
  await assert.rejects(repeated, refusedWith('IDEMPOTENCY_KEY_REUSED'));
  await assert.rejects(client.createSplit({ ...SPLIT, sourceUrl: uploaded }), refusedWith('INVALID_PARAMS'));
  const { id } = await client.createSplit(request);
  await client.waitForJob(id);
});
