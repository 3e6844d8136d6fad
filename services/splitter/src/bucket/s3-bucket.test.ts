import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createGuardedEgress } from '@audiosplit/chassis/egress/guarded-egress';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { BucketAction } from '@audiosplit/proto/jobs/v1/bucket';
import { testBucketContract } from './bucket.contract.ts';
import type { BucketAddress } from './bucket.ts';
import { openS3Bucket } from './s3-bucket.ts';
import { S3_SECRET_KEY, startS3Server } from './s3-server.fixture.ts';
import { StoreError } from './store-error.ts';
import { tryBucket } from './try-bucket.ts';

describe('buckets', () => {
  const server = forSuite(startS3Server);
  const egress = forSuite(async () =>
    createGuardedEgress({ allowCidrs: ['127.0.0.0/8'], allowUrlPrefixes: [] }),
  );
  const { signal } = new AbortController();

  const open = (overrides: Partial<BucketAddress> = {}, through = egress) => {
    const { type: _, ...connection } = server.connection;
    const address = { ...connection, prefix: '', ...overrides } as BucketAddress;
    return openS3Bucket(address, { egress: through, accountId: 'acc_1', signal });
  };

  testBucketContract('the server of the tests', { open });

  it('are reached through the guarded egress: a private address is rejected without a connection', async () => {
    await using closed = createGuardedEgress({ allowCidrs: [], allowUrlPrefixes: [] });
    using bucket = open({}, closed);
    const before = server.requests.length;
    await assert.rejects(bucket.list('', 1), (error) => {
      assert.ok(error instanceof StoreError);
      assert.deepEqual([error.fault, error.retryable], ['forbidden-address', false]);
      return true;
    });
    assert.equal(server.requests.length, before);
  });

  it('follow no redirect', async () => {
    server.refusalOf = () => ({ status: 307, code: 'TemporaryRedirect', message: 'Somewhere else.' });
    using bucket = open();
    await assert.rejects(bucket.readStart('a', 1), StoreError);
    server.refusalOf = () => undefined;
  });

  it('reveal no secret, even if the store repeats one', async () => {
    server.refusalOf = () => ({ status: 403, code: 'Forbidden', message: `not with ${S3_SECRET_KEY}` });
    using bucket = open();
    await assert.rejects(bucket.list('', 1), (error: Error) => {
      assert.doesNotMatch(error.message, new RegExp(S3_SECRET_KEY));
      assert.match(error.message, /not with …/);
      return true;
    });
    server.refusalOf = () => undefined;
  });

  it('are tried once more if the store is unavailable for a moment', async () => {
    let tries = 0;
    server.refusalOf = () => {
      tries += 1;
      return tries === 1 ? { status: 503, code: 'SlowDown', message: 'Please reduce your rate.' } : undefined;
    };
    using bucket = open();
    assert.deepEqual(await bucket.list('nothing/', 1), []);
    assert.equal(tries, 2);
    server.refusalOf = () => undefined;
  });

  it('report for each action whether it works', async () => {
    server.objects.set('there', { bytes: Buffer.from('audio'), contentType: 'audio/mpeg' });
    server.refusalOf = ({ method }) =>
      method === 'PUT' ? { status: 403, code: 'AccessDenied', message: 'Access Denied' } : undefined;
    using bucket = open();
    assert.deepEqual(await tryBucket(bucket, signal), [
      { action: BucketAction.LIST },
      { action: BucketAction.READ },
      { action: BucketAction.WRITE, fault: 'The store answered 403 AccessDenied Access Denied.' },
      { action: BucketAction.DELETE, fault: 'Not tried: nothing could be written.' },
    ]);
    server.refusalOf = () => undefined;
    server.objects.clear();
  });
});
