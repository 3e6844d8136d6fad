import assert from 'node:assert/strict';
import { after } from 'node:test';
import { createGuardedEgress } from '@audiosplit/chassis/egress/guarded-egress';
import { parseStorageUrl } from '@audiosplit/chassis/object-store/storage-url';
import { testBucketContract } from './bucket.contract.ts';
import type { BucketAddress } from './bucket.ts';
import { openS3Bucket } from './s3-bucket.ts';

const { TEST_STORAGE_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = process.env;
if (TEST_STORAGE_URL === undefined) throw new Error('TEST_STORAGE_URL is not set');
const location = parseStorageUrl(TEST_STORAGE_URL);
assert.ok(location.kind === 's3' && location.endpoint !== undefined, 'TEST_STORAGE_URL must name a server');
const { endpoint, bucket, region = 'us-east-1' } = location;

const egress = createGuardedEgress({ allowCidrs: ['127.0.0.0/8', '::1/128'], allowUrlPrefixes: [] });
after(() => egress[Symbol.asyncDispose]());

testBucketContract('versitygw', {
  open(overrides = {}) {
    const address = {
      endpoint,
      region,
      bucket,
      prefix: '',
      accessKeyId: AWS_ACCESS_KEY_ID,
      secretAccessKey: AWS_SECRET_ACCESS_KEY,
      ...overrides,
    } as BucketAddress;
    return openS3Bucket(address, { egress, accountId: 'acc_1', signal: new AbortController().signal });
  },
});
