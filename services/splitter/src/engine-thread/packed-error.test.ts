import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MediaError } from '@audiosplit/engine/media-error';
import { HostError, packError, unpackError } from './packed-error.ts';

const noHostError = (): never => assert.fail('no error of the host is in there');

function send(error: unknown, hostError: (errorId: number) => unknown = noHostError): unknown {
  return unpackError(structuredClone(packError(error)), hostError);
}

test('a MediaError stays a MediaError, with its cause for the log', () => {
  const cause = Object.assign(new RangeError('no'), { exitCode: 1, stderr: 'too large', child: new Map() });
  const sent = new MediaError('INTERNAL_ERROR', 'The splitting engine failed.', { cause });
  const received = send(sent);
  assert.ok(received instanceof MediaError);
  assert.equal(received.failure, 'INTERNAL_ERROR');
  assert.equal(received.message, sent.message);
  assert.equal(received.stack, sent.stack);
  assert.ok(received.cause instanceof Error);
  assert.equal(received.cause.stack, cause.stack);
  assert.deepEqual({ ...received.cause }, { name: 'RangeError', exitCode: 1, stderr: 'too large' });
});

test('an error of the host is the same object afterwards, also as a cause', () => {
  const own = new Error('mine');
  const hostError = (errorId: number): unknown => (errorId === 7 ? own : undefined);
  assert.equal(send(new HostError(7), hostError), own);
  const wrapped = send(new Error('around it', { cause: new HostError(7) }), hostError);
  assert.ok(wrapped instanceof Error);
  assert.equal(wrapped.cause, own);
});

test('a thrown value that is not an error becomes one', () => {
  const received = send('just words');
  assert.ok(received instanceof Error);
  assert.equal(received.message, 'just words');
});

test('a cycle of causes ends', () => {
  const first = new Error('first');
  first.cause = new Error('second', { cause: first });
  assert.ok(send(first) instanceof Error);
});
