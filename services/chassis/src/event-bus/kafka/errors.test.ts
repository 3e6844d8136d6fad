import assert from 'node:assert/strict';
import { test } from 'node:test';
import kafkajs from 'kafkajs';
import { silentLogger } from '../../process/log.ts';
import { noCoordinator } from '../no-coordinator.fixture.ts';
import { isNotAuthorized, isTransient, MissingAclsError, retryUntilAvailable } from './errors.ts';

const loading = () => new kafkajs.KafkaJSError('the coordinator is loading', { retriable: true });
const outOfRetries = () =>
  new kafkajs.KafkaJSNumberOfRetriesExceeded(loading(), { retryCount: 5, retryTime: 300 });
const refused = () => new kafkajs.KafkaJSNonRetriableError('not authorized');

test('an error after all retries is transient, a rejection is not', () => {
  assert.equal(isTransient(loading()), true);
  assert.equal(isTransient(outOfRetries()), true);
  assert.equal(isTransient(new Error('around it', { cause: outOfRetries() })), true);
  assert.equal(isTransient(noCoordinator()), true);
  assert.equal(isTransient(refused()), false);
  assert.equal(isTransient(new Error('anything else')), false);
  assert.equal(isTransient('no error'), false);
  const untrusted = new kafkajs.KafkaJSConnectionError('…', { code: 'SELF_SIGNED_CERT_IN_CHAIN' });
  assert.equal(isTransient(untrusted), false);
});

const attempt = (errors: Error[]) => {
  let attempts = 0;
  return {
    attempts: () => attempts,
    run: async () => {
      attempts += 1;
      const error = errors.shift();
      if (error !== undefined) throw error;
      return 'done';
    },
  };
};
const options = { what: 'the test', log: silentLogger() };

test('retries transient errors', async () => {
  const twice = attempt([outOfRetries(), loading()]);
  assert.equal(await retryUntilAvailable({ ...options, forMs: 60_000 }, twice.run), 'done');
  assert.equal(twice.attempts(), 3);
});

test('gives up at once on a rejection, and at the end of the time on any error', async () => {
  const refusing = attempt([refused()]);
  await assert.rejects(retryUntilAvailable({ ...options, forMs: 60_000 }, refusing.run), /not authorized/);
  const failing = attempt([loading(), loading()]);
  await assert.rejects(retryUntilAvailable({ ...options, forMs: 0 }, failing.run), /loading/);
  assert.deepEqual([refusing.attempts(), failing.attempts()], [1, 1]);
});

test('retries missing ACLs at start, and recognises them in the response for several topics', async () => {
  const notAuthorized = Object.assign(new Error('not authorized'), { type: 'TOPIC_AUTHORIZATION_FAILED' });
  const ofTopics = (errors: Error[]) => new kafkajs.KafkaJSAggregateError('Topic creation errors', errors);
  assert.equal(isNotAuthorized(ofTopics([new Error('another'), notAuthorized])), true);
  assert.equal(isNotAuthorized(ofTopics([new Error('another')])), false);
  assert.equal(isNotAuthorized(new Error('another')), false);
  const waiting = attempt([new MissingAclsError(['a topic'])]);
  assert.equal(await retryUntilAvailable({ ...options, forMs: 60_000 }, waiting.run), 'done');
});
