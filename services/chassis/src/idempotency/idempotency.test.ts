import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { JobLeaseService } from '@audiosplit/proto/jobs/v1/jobs';
import { SplitterService } from '@audiosplit/proto/splitter/v1/splitter';
import { ServiceError } from '../errors.ts';
import { responseSecretOf } from '../identity/keys.ts';
import { afterCommit, commitEarly } from '../postgres/joined-transaction.ts';
import { openPool, type Pool, withTransaction } from '../postgres/pool.ts';
import { silentLogger } from '../process/log.ts';
import { createCaller, type RpcAddress, remoteAddress } from '../rpc/client.ts';
import { type RpcOptions, serveInProcess, startRpcServer } from '../rpc/server.ts';
import { testKeysOf } from '../testing/identities.ts';
import { refusal } from '../testing/refusal.ts';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { until } from '../testing/until.ts';
import { type OutgoingIdempotencyKey, runWithIdempotencyKey } from './idempotency-key.ts';
import { currentIdempotencyKey, withIdempotency } from './with-idempotency.ts';

const SECRET = 'what encrypts stored responses';

/** A call's effect is a row; its response is the row's number. */
type Effect = (url: string) => Promise<number>;

describe('calls with an idempotency key', () => {
  let database: TestDatabase;
  let pool: Pool;
  let now = new Date('2026-03-14T09:26:53Z');
  let effect: Effect;
  let options: RpcOptions;
  before(async () => {
    database = await createTestDatabase([{ schema: 'one' }]);
    pool = openPool({ url: database.url, schema: 'one', maxConnections: 6, onError: () => undefined });
    await pool.query('create table effects (n int generated always as identity, url text)');
    const clock = () => now;
    const implementation = {
      drawWaveform: () => ({}),
      checkEndpoint: () => ({}),
      emptyFolder: () => ({}),
      testBucket: () => ({}),
      async inspectSource({ sourceUrl }: { sourceUrl: string }) {
        return { sizeBytes: BigInt(await effect(sourceUrl)) };
      },
    };
    options = {
      keys: testKeysOf('splitter'),
      log: silentLogger(),
      clock,
      routes: (router) => {
        const once = { pool, secret: SECRET, clock };
        router.service(SplitterService, withIdempotency(SplitterService, implementation, once));
      },
    };
  });
  after(async () => {
    await pool.end();
    await database[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    effect = insert;
  });

  const insert: Effect = (url) =>
    withTransaction(pool, async (client) => {
      const { rows } = await client.query('insert into effects (url) values ($1) returning n', [url]);
      return rows[0].n;
    });
  const effectsOn = async (url: string) =>
    (await pool.query('select from effects where url = $1', [url])).rowCount ?? 0;

  const clientOf = (address: RpcAddress) =>
    createCaller({ keys: testKeysOf('jobs'), clock: () => now }).client(SplitterService, address);
  const caller = (address: RpcAddress) => {
    const client = clientOf(address);
    return async (sourceUrl: string, given: Partial<OutgoingIdempotencyKey> = {}) => {
      const key = { scope: 'ada', key: `key of ${sourceUrl}`, fingerprint: 'f', replayed: false, ...given };
      const { sizeBytes } = await runWithIdempotencyKey(key, () => client.inspectSource({ sourceUrl }));
      return { answer: Number(sizeBytes), replayed: key.replayed };
    };
  };
  const call: ReturnType<typeof caller> = (...args) => caller(serveInProcess(options))(...args);

  for (const way of ['in process', 'over a socket'] as const) {
    // Covers D-2.45 D-2.46 D-9.17
    test(`${way}: a repeat returns the first response, without a second effect`, async () => {
      await using stack = new AsyncDisposableStack();
      const address =
        way === 'in process'
          ? serveInProcess(options)
          : remoteAddress(
              `http://127.0.0.1:${stack.use(await startRpcServer({ ...options, host: '127.0.0.1', port: 0 })).port}`,
            );
      const first = await caller(address)(way);
      assert.equal(first.replayed, false);
      assert.deepEqual(await caller(address)(way), { answer: first.answer, replayed: true });
      assert.equal(await effectsOn(way), 1);
      await refusal(caller(address)(way, { fingerprint: 'g' }), 'IDEMPOTENCY_KEY_REUSED');
      // The same key of another caller is a different key.
      assert.equal((await caller(address)(way, { scope: 'grace' })).replayed, false);
      assert.equal(await effectsOn(way), 2);
    });
  }

  test("a call that a service makes itself does not use the key of the client's request", async () => {
    const seen: (string | undefined)[] = [];
    effect = async (url) => {
      seen.push(currentIdempotencyKey()?.key);
      if (url === 'inner') return insert(url);
      const { sizeBytes } = await clientOf(serveInProcess(options)).inspectSource({ sourceUrl: 'inner' });
      return Number(sizeBytes);
    };
    await call('outer');
    assert.deepEqual(seen, ['key of outer', undefined]);
  });

  // Covers D-2.48
  test('a response is kept for a day', async () => {
    const { answer } = await call('a day');
    now = new Date(now.getTime() + 24 * 3_600_000 - 1);
    assert.equal((await call('a day')).answer, answer);
    now = new Date(now.getTime() + 1);
    const next = await call('a day', { fingerprint: 'another' });
    assert.equal(next.replayed, false);
    assert.notEqual(next.answer, answer);
    assert.equal((await call('a day', { fingerprint: 'another' })).replayed, true);
  });

  // Covers D-9.17
  test('responses are stored encrypted', async () => {
    await call('sealed');
    const { rows } = await pool.query("select answer from idempotency_keys where key = 'key of sealed'");
    assert.equal(rows.length, 1);
    assert.ok(rows[0].answer.length > 28);
    await pool.query("update idempotency_keys set key = 'moved' where key = 'key of sealed'");
    await refusal(call('x', { key: 'moved' }), 'IDEMPOTENCY_KEY_REUSED');
    assert.equal(await effectsOn('x'), 0, 'what has been done once is not done again');
  });

  test('a key that one method has used is rejected by the others of the service', async () => {
    const act = async () => {
      await insert('two methods');
      return {};
    };
    const methods = {
      ...{ claimJob: act, renewLease: act, checkLeases: act, reserveMinutes: act },
      ...{ completeJob: act, failJob: act, releaseJob: act },
      ...{ divideJob: act, claimPart: act, completePart: act },
      ...{ findOverdueOffers: act, findFirstOffers: act },
    };
    const once = { pool, secret: SECRET, clock: () => now };
    const address = serveInProcess({
      ...options,
      routes: (router) => router.service(JobLeaseService, withIdempotency(JobLeaseService, methods, once)),
    });
    const leases = createCaller({ keys: testKeysOf('splitter'), clock: () => now }).client(
      JobLeaseService,
      address,
    );
    const key = { scope: 'ada', key: 'two methods', fingerprint: 'f', replayed: false };
    await runWithIdempotencyKey(key, () => leases.failJob({}));
    await refusal(
      runWithIdempotencyKey(key, () => leases.releaseJob({})),
      'IDEMPOTENCY_KEY_REUSED',
    );
    await runWithIdempotencyKey(key, () => leases.failJob({}));
    assert.ok(key.replayed);
    assert.equal(await effectsOn('two methods'), 1);
  });

  // Covers D-2.47
  test('a repeat is rejected while the first call is in progress', async () => {
    const { promise: release, resolve } = Promise.withResolvers<void>();
    const { promise: started, resolve: hasStarted } = Promise.withResolvers<void>();
    effect = (url) =>
      withTransaction(pool, async (client) => {
        const { rows } = await client.query('insert into effects (url) values ($1) returning n', [url]);
        hasStarted();
        await release;
        return rows[0].n;
      });
    const first = call('slow');
    await started;
    await refusal(call('slow'), 'IDEMPOTENCY_IN_PROGRESS');
    resolve();
    const { answer } = await first;
    assert.deepEqual(await call('slow'), { answer, replayed: true });
    assert.equal(await effectsOn('slow'), 1);
  });

  test('many concurrent requests have one effect', async () => {
    const attempts = await Promise.allSettled(Array.from({ length: 20 }, () => call('crowd')));
    const answers = new Set(
      attempts.map((one) => (one.status === 'fulfilled' ? one.value.answer : 'rejected')),
    );
    answers.delete('rejected');
    assert.equal(answers.size, 1);
    assert.equal(await effectsOn('crowd'), 1);
  });

  test('a response stored by the previous release is returned while its secret is set', async () => {
    const formerSecret = 'the secret of the former release';
    const servedUnder = (secret: string) =>
      serveInProcess({
        ...options,
        routes: (router) => {
          const implementation = {
            inspectSource: async () => ({ sizeBytes: BigInt(await insert('former')) }),
            drawWaveform: () => ({}),
            checkEndpoint: () => ({}),
            emptyFolder: () => ({}),
            testBucket: () => ({}),
          };
          const once = { pool, secret, clock: () => now };
          router.service(SplitterService, withIdempotency(SplitterService, implementation, once));
        },
      });
    const inspectUnder = (secret: string) => caller(servedUnder(secret))('former', { key: 'former' });
    const first = await inspectUnder(formerSecret);
    const keys = testKeysOf('splitter');
    assert.deepEqual(await inspectUnder(responseSecretOf({ ...keys, formerSecret })), {
      ...first,
      replayed: true,
    });
    await refusal(inspectUnder(responseSecretOf(keys)), 'IDEMPOTENCY_KEY_REUSED');
    assert.equal(await effectsOn('former'), 1);
  });

  test('a rejection is stored as a response; effects before it are kept', async () => {
    effect = async (url) => {
      await insert(url);
      throw new ServiceError(Reason.EMAIL_TAKEN, 'Taken.', {
        violations: [{ field: 'email', message: 'm' }],
      });
    };
    await refusal(call('refused'), 'EMAIL_TAKEN');
    effect = insert;
    const info = await refusal(call('refused'), 'EMAIL_TAKEN');
    assert.equal(info.publicMessage, 'Taken.');
    assert.equal(info.violations[0]?.field, 'email');
    assert.equal(await effectsOn('refused'), 1);
  });

  test('a transaction that fails within the call leaves nothing', async () => {
    effect = async (url) => {
      await withTransaction(pool, async (client) => {
        await client.query('insert into effects (url) values ($1)', [url]);
        throw new Error('no');
      }).catch(() => undefined);
      return insert(url);
    };
    await call('within');
    assert.equal(await effectsOn('within'), 1);
  });

  test('a failure after the effect leaves nothing, and a repeat performs it once', async () => {
    const committed: string[] = [];
    effect = async (url) => {
      await insert(url);
      afterCommit(() => committed.push(url));
      throw new Error('broken');
    };
    await assert.rejects(call('half done'));
    assert.equal(await effectsOn('half done'), 0);
    assert.deepEqual(committed, []);
    effect = insert;
    assert.equal((await call('half done')).replayed, false);
    assert.equal(await effectsOn('half done'), 1);
  });

  test('a method that catches the rejection of a repeat does not continue without the lock', async () => {
    const { promise: release, resolve } = Promise.withResolvers<void>();
    const { promise: started, resolve: hasStarted } = Promise.withResolvers<void>();
    effect = async (url) => {
      const n = await insert(url);
      hasStarted();
      await release;
      return n;
    };
    const first = call('stubborn');
    await started;
    effect = (url) => insert(url).catch(() => insert(url));
    await refusal(call('stubborn'), 'IDEMPOTENCY_IN_PROGRESS');
    resolve();
    await first;
    assert.equal(await effectsOn('stubborn'), 1);
  });

  test('work that a call leaves in the background continues by itself', async () => {
    const { promise: release, resolve } = Promise.withResolvers<void>();
    const background: Promise<unknown>[] = [];
    effect = (url) => {
      background.push(release.then(() => insert(`${url}: later`)));
      return insert(url);
    };
    for (let n = 0; n < 8; n++) await call(`left ${n}`);
    resolve();
    await Promise.all(background);
    assert.equal(await effectsOn('left 7: later'), 1);
    assert.equal(pool.idleCount, pool.totalCount, 'no connection is held');
  });

  test('calls that wait for something else leave database connections to other callers', async () => {
    const { promise: release, resolve } = Promise.withResolvers<void>();
    effect = async (url) => {
      if (url.startsWith('waits')) await release;
      return insert(url);
    };
    const address = serveInProcess(options);
    const waiting = Array.from({ length: 12 }, (_, n) => caller(address)(`waits ${n}`));
    assert.equal((await caller(address)('quick')).replayed, false);
    resolve();
    await Promise.all(waiting);
  });

  test('half of the pool stays free, even if a service is mounted several times', async () => {
    const { promise: release, resolve } = Promise.withResolvers<void>();
    let inProgress = 0;
    let most = 0;
    effect = (url) =>
      withTransaction(pool, async (client) => {
        inProgress += 1;
        most = Math.max(most, inProgress);
        await release;
        const { rows } = await client.query('insert into effects (url) values ($1) returning n', [url]);
        inProgress -= 1;
        return rows[0].n;
      });
    const calls = Array.from({ length: 8 }, (_, n) => call(`mounted ${n}`));
    await until(async () => inProgress === 3, 'as many as may are at work');
    assert.equal((await pool.query('select 1')).rowCount, 1);
    resolve();
    await Promise.all(calls);
    assert.equal(most, 3);
  });

  for (const error of [
    new Error('broken'),
    new ServiceError(Reason.SERVICE_UNAVAILABLE, 'Away.'),
    new ServiceError(Reason.QUEUE_FULL, 'Full.', { retryAfterSeconds: 3 }),
  ]) {
    // Covers D-2.48
    test(`a transient error is not stored as a response: ${error.message}`, async () => {
      effect = () => Promise.reject(error);
      await assert.rejects(call(error.message));
      effect = insert;
      assert.equal((await call(error.message)).replayed, false);
      assert.equal((await call(error.message)).replayed, true);
    });
  }

  test('an effect whose response cannot be stored is rolled back', async () => {
    // The response cannot be written, because a sealed one is never null.
    await pool.query('alter table idempotency_keys add constraint none check (key not like $$%torn%$$)');
    await assert.rejects(call('torn'));
    assert.equal(await effectsOn('torn'), 0);
    await pool.query('alter table idempotency_keys drop constraint none');
    assert.equal((await call('torn')).replayed, false);
    assert.equal(await effectsOn('torn'), 1);
  });

  test('actions after the commit wait for it, and an early commit makes its effects visible', async () => {
    const seen: number[] = [];
    effect = async (url) => {
      const answer = await insert(url);
      afterCommit(() => seen.push(-1));
      seen.push(await effectsOn(url));
      await commitEarly();
      seen.push(await effectsOn(url));
      assert.equal(currentIdempotencyKey()?.key, 'key of early');
      await insert(url);
      seen.push(await effectsOn(url));
      return answer;
    };
    const { answer } = await call('early');
    assert.deepEqual(seen, [0, -1, 1, 1]);
    assert.equal(await effectsOn('early'), 2);
    assert.deepEqual(await call('early'), { answer, replayed: true });
  });
});
