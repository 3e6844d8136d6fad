/**
 * S3 behind a network that breaks: requests fail as unavailable within bounded time, and work again
 * afterwards.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { after, before, beforeEach, test } from 'node:test';
import { UnavailableError } from '../errors.ts';
import { type NetworkGate, openNetworkGate } from '../testing/network-gate.ts';
import type { ObjectStore } from './object-store.ts';
import { openObjectStore, parseStorageUrl } from './storage-url.ts';

const storageUrl = process.env.TEST_STORAGE_URL;
if (storageUrl === undefined) {
  throw new Error(
    'TEST_STORAGE_URL is not set: give s3://bucket?endpoint=… and the AWS_* variables of its server',
  );
}
const location = parseStorageUrl(storageUrl);
assert.ok(location.kind === 's3' && location.endpoint !== undefined, 'TEST_STORAGE_URL must name a server');
const { hostname, port } = new URL(location.endpoint);

const root = `outage-${randomBytes(6).toString('hex')}/`;
const key = `${root}there`;
let gate: NetworkGate;
let store: ObjectStore;

before(async () => {
  gate = await openNetworkGate({ hostname, port: Number(port) });
  store = await openObjectStore({ ...location, endpoint: `http://127.0.0.1:${gate.port}` });
  await put();
});
beforeEach(() => gate.heal());
after(async () => {
  gate.heal();
  await store.deletePrefix(root);
  await store[Symbol.asyncDispose]();
  await gate[Symbol.asyncDispose]();
});

const put = () => store.put(key, Readable.from([Buffer.from('audio')]), { contentType: 'audio/mpeg' });
const isUnavailable = (error: unknown) =>
  error instanceof UnavailableError && error.details.retryAfterSeconds !== undefined;

test('cut off: calls fail, and work again afterwards', async () => {
  gate.cut();
  await assert.rejects(put(), isUnavailable);
  await assert.rejects(store.get(key), isUnavailable);
  await assert.rejects(store.head(key), isUnavailable);
  await assert.rejects(store.delete([key]), isUnavailable);
  await assert.rejects(store.deletePrefix(root), isUnavailable);
  await assert.rejects(store.check(), isUnavailable);
  gate.heal();
  assert.equal((await store.head(key)).sizeBytes, 5);
});

test('frozen: a call fails in limited time', async () => {
  await store.check();
  gate.freeze();
  const startedMs = performance.now();
  await Promise.all([
    assert.rejects(store.get(key), isUnavailable),
    assert.rejects(store.head(key), isUnavailable),
    assert.rejects(store.check(), isUnavailable),
  ]);
  assert.ok(performance.now() - startedMs < 15_000);
  gate.heal();
  assert.equal((await store.head(key)).sizeBytes, 5);
});

test('an error of the body is not taken for an outage', async () => {
  const body = new Readable({ read: () => undefined });
  const failure = Object.assign(new Error('the sender has gone'), { code: 'ECONNRESET' });
  const stored = store.put(`${root}broken`, body, { contentType: 'audio/mpeg' });
  body.destroy(failure);
  await assert.rejects(stored, failure);
});
