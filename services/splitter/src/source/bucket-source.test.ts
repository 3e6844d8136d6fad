import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { createGuardedEgress } from '@audiosplit/chassis/egress/guarded-egress';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import type { BucketAddress } from '../bucket/bucket.ts';
import { openS3Bucket } from '../bucket/s3-bucket.ts';
import { S3_SECRET_KEY, startS3Server } from '../bucket/s3-server.fixture.ts';
import { openBucketSource, sizeInBucket } from './bucket-source.ts';
import { SourceError } from './source-error.ts';

describe('a source in a bucket', () => {
  const server = forSuite(startS3Server);
  const egress = forSuite(async () =>
    createGuardedEgress({ allowCidrs: ['127.0.0.0/8'], allowUrlPrefixes: [] }),
  );
  const { signal } = new AbortController();
  beforeEach(() => {
    server.refusalOf = () => undefined;
    server.objects.clear();
    server.objects.set('in/talks/a b.mp3', {
      bytes: Buffer.from('audio of a talk'),
      contentType: 'audio/mpeg',
    });
  });

  const bucketWith = (overrides: Partial<BucketAddress> = {}) => {
    const { type: _, ...connection } = server.connection;
    const address = { ...connection, prefix: 'in/', ...overrides } as BucketAddress;
    return openS3Bucket(address, { egress, accountId: 'acc_1', signal });
  };
  const open = (key: string, overrides: Partial<BucketAddress> = {}) =>
    openBucketSource(egress, bucketWith(overrides), key, { maxBytes: 1_000, signal });
  const failureOf = async (opening: Promise<unknown>): Promise<SourceError> => {
    try {
      await opening;
    } catch (error) {
      assert.ok(error instanceof SourceError, String(error));
      return error;
    }
    return assert.fail('it was opened');
  };

  it('is read below the prefix of its connection, and named by its key', async () => {
    await using source = await open('talks/a b.mp3');
    const chunks = await Array.fromAsync(source.body);
    assert.equal(Buffer.concat(chunks).toString(), 'audio of a talk');
    assert.deepEqual([source.fileName, source.declaredSizeBytes], ['a b.mp3', 15]);
    assert.equal(await sizeInBucket(bucketWith(), 'talks/a b.mp3'), 15);
  });

  it('FORBIDDEN_BY_STORE: a request that the store rejects, with its message and without a secret', async () => {
    server.refusalOf = () => ({ status: 403, code: 'AccessDenied', message: `Not with ${S3_SECRET_KEY}` });
    const { failure, message, retryable } = await failureOf(open('talks/a b.mp3'));
    assert.deepEqual([failure, retryable], ['FORBIDDEN_BY_STORE', false]);
    assert.equal(
      message,
      'The source cannot be fetched from its bucket. The store answered 403 AccessDenied Not with …',
    );
  });

  it('SOURCE_UNREACHABLE: no such object, and no such bucket, with the message of the store', async () => {
    const none = await failureOf(open('none.mp3'));
    assert.deepEqual([none.failure, none.retryable], ['SOURCE_UNREACHABLE', false]);
    assert.match(none.message, /404 NoSuchKey The specified key does not exist\.$/);
    assert.match((await failureOf(open('none.mp3', { bucket: 'other' }))).message, /404 NoSuchBucket/);
  });

  it('SOURCE_UNREACHABLE, retryable: a store that is overloaded', async () => {
    server.refusalOf = () => ({ status: 503, code: 'SlowDown', message: 'Reduce your rate.' });
    const { failure, message, retryable } = await failureOf(open('talks/a b.mp3'));
    assert.deepEqual([failure, retryable], ['SOURCE_UNREACHABLE', true]);
    assert.match(message, /503 SlowDown/);
  });

  it('SOURCE_FORBIDDEN: a store at a private address', async () => {
    await using closed = createGuardedEgress({ allowCidrs: [], allowUrlPrefixes: [] });
    const { type: _, ...connection } = server.connection;
    const address = { ...connection, prefix: '' } as BucketAddress;
    const bucket = openS3Bucket(address, { egress: closed, accountId: 'acc_1', signal });
    const opening = openBucketSource(closed, bucket, 'a.mp3', { maxBytes: 1_000, signal });
    assert.equal((await failureOf(opening)).failure, 'SOURCE_FORBIDDEN');
    const looking = await failureOf(sizeInBucket(bucket, 'a.mp3'));
    assert.equal(looking.failure, 'SOURCE_FORBIDDEN');
  });

  it('does not follow redirects', async () => {
    server.refusalOf = () => ({ status: 307, code: 'TemporaryRedirect', message: 'Elsewhere.' });
    assert.equal((await failureOf(open('talks/a b.mp3'))).failure, 'SOURCE_UNREACHABLE');
  });
});
