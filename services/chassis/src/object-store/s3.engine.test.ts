import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3';
import { testObjectStoreContract } from './object-store.contract.ts';
import { openObjectStore, parseStorageUrl } from './storage-url.ts';

const storageUrl = process.env.TEST_STORAGE_URL;
if (storageUrl === undefined) {
  throw new Error(
    'TEST_STORAGE_URL is not set: give s3://bucket?endpoint=… and the AWS_* variables of its server',
  );
}
const location = parseStorageUrl(storageUrl);
assert.ok(location.kind === 's3', 'TEST_STORAGE_URL must name a bucket');

testObjectStoreContract('S3', () => openObjectStore(location));

test('a failed upload leaves no parts behind', async () => {
  await using store = await openObjectStore(location);
  const key = `parts-${randomBytes(6).toString('hex')}`;
  const body = Readable.from(
    (async function* () {
      for (let block = 0; block < 10; block++) yield Buffer.alloc(2_000_000);
      throw new Error('the source broke');
    })(),
  );
  await assert.rejects(store.put(key, body, { contentType: 'audio/mpeg' }), /the source broke/);
  const { bucket: Bucket, kind: _, ...connection } = location;
  const client = new S3Client({ ...connection, forcePathStyle: true });
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: key }));
  client.destroy();
  assert.deepEqual(Uploads, []);
});

test('the check fails for a missing bucket', async () => {
  await using store = await openObjectStore({
    ...location,
    bucket: `missing-${randomBytes(6).toString('hex')}`,
  });
  await assert.rejects(store.check());
});
