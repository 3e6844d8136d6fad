import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { SplitterService } from '@audiosplit/proto/splitter/v1/splitter';
import { Code, ConnectError } from '@connectrpc/connect';
import pg from 'pg';
import { systemClock } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import { makeKeyPair } from '../identity/keys.ts';
import { silentLogger } from '../process/log.ts';
import { testKeysOf } from '../testing/identities.ts';
import { createCaller } from './client.ts';
import { errorInfoOf } from './errors.ts';
import { serveInProcess } from './server.ts';

/** Returns the error that a caller receives when a handler fails like this. */
async function heardOf(failure: unknown, keys = testKeysOf('jobs')) {
  const address = serveInProcess({
    routes: (router) =>
      router.service(SplitterService, {
        inspectSource() {
          throw failure;
        },
      }),
    keys: testKeysOf('splitter'),
    log: silentLogger(),
    clock: systemClock,
  });
  const caller = createCaller({ keys, clock: systemClock });
  const error = await caller
    .client(SplitterService, address)
    .inspectSource({})
    .catch((thrown: unknown) => thrown);
  const { reason, retryAfterSeconds } = errorInfoOf(error);
  return { code: ConnectError.from(error).code, reason, retryAfterSeconds };
}

test('an unavailable database is reported as unavailable, with the time for a retry', async () => {
  const shutdown = new pg.DatabaseError('terminating connection due to administrator command', 10, 'error');
  shutdown.code = '57P01';
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  for (const failure of [shutdown, refused, new Error('Connection terminated unexpectedly')]) {
    assert.deepEqual(await heardOf(failure), {
      code: Code.Unavailable,
      reason: Reason.SERVICE_UNAVAILABLE,
      retryAfterSeconds: 5,
    });
  }
});

test('text that Postgres cannot store is an error of the caller', async () => {
  for (const code of ['22021', '22P05']) {
    const refused = new pg.DatabaseError('invalid byte sequence for encoding "UTF8": 0x00', 10, 'error');
    refused.code = code;
    assert.equal((await heardOf(refused)).reason, Reason.INVALID_PARAMS);
  }
});

test('a wrong statement is an internal error', async () => {
  const wrong = new pg.DatabaseError('relation "job" does not exist', 10, 'error');
  wrong.code = '42P01';
  assert.equal((await heardOf(wrong)).reason, Reason.INTERNAL_ERROR);
});

test('a rejected internal identity is a retryable error, not one of the caller; a rejection of the caller stays one', async () => {
  const wrongKeys = { ...testKeysOf('jobs'), privateKey: makeKeyPair().privateKey };
  assert.deepEqual(await heardOf(new Error('not reached'), wrongKeys), {
    code: Code.Unauthenticated,
    reason: Reason.SERVICE_UNAVAILABLE,
    retryAfterSeconds: 5,
  });
  const refusal = new ServiceError(Reason.UNAUTHORIZED, 'The API key is not valid.');
  assert.equal((await heardOf(refusal)).reason, Reason.UNAUTHORIZED);
});
