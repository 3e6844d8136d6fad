/** What every store must do for a connection, tested with the server that `open` connects to. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import type { Bucket } from './bucket.ts';
import { StoreError } from './store-error.ts';
import { tryBucket } from './try-bucket.ts';

export interface BucketUnderTest {
  open(overrides?: {
    readonly prefix?: string;
    readonly bucket?: string;
    readonly secretAccessKey?: string;
    readonly accessKeyId?: string;
  }): Bucket;
}

async function* chunks(bytes: Buffer, sizeBytes = 1_000_000): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += sizeBytes)
    yield bytes.subarray(start, start + sizeBytes);
}

export function testBucketContract(name: string, { open }: BucketUnderTest): void {
  const folderOf = () => `contract-${randomBytes(6).toString('hex')}/`;
  const signal = new AbortController().signal;

  describe(`a bucket at ${name}`, () => {
    it('returns the stored bytes, small and in parts, under keys of any script', async () => {
      using bucket = open({ prefix: folderOf() });
      const small = Buffer.from('a segment');
      const large = randomBytes(20_000_000);
      await bucket.put('a/ünd 音 (1)+&.mp3', chunks(small), 'audio/mpeg');
      await bucket.put('large.wav', chunks(large), 'audio/wav');
      assert.deepEqual(Buffer.from(await bucket.readStart('a/ünd 音 (1)+&.mp3', 100)), small);
      assert.equal(await bucket.sizeOf('large.wav'), large.length);
      assert.deepEqual(Buffer.from(await bucket.readStart('large.wav', 1_000)), large.subarray(0, 1_000));
      assert.deepEqual([...(await bucket.list('', 10))].sort(), ['a/ünd 音 (1)+&.mp3', 'large.wav'].sort());
      await bucket.deleteFolder('');
    });

    it('is listed and emptied by folders, and other folders are kept', async () => {
      using bucket = open({ prefix: folderOf() });
      for (const key of ['one/1', 'one/2', 'one-more/1'])
        await bucket.put(key, chunks(Buffer.from(key)), 'text/plain');
      assert.deepEqual(await bucket.list('one/', 1), ['one/1']);
      await bucket.deleteFolder('one/');
      assert.deepEqual(await bucket.list('', 10), ['one-more/1']);
      await bucket.delete('one-more/1');
      await bucket.delete('one-more/1');
      assert.deepEqual(await bucket.list('', 10), []);
    });

    it('keeps nothing of an object whose bytes fail, and no parts', async () => {
      using bucket = open({ prefix: folderOf() });
      const broken = (async function* () {
        for (let part = 0; part < 10; part++) yield Buffer.alloc(2_000_000);
        throw new Error('the source broke');
      })();
      await assert.rejects(bucket.put('broken', broken, 'text/plain'), /the source broke/);
      assert.deepEqual(await bucket.list('', 10), []);
    });

    it('reports a missing object with the message of the store', async () => {
      using bucket = open();
      await assert.rejects(bucket.readStart(`none-${randomBytes(6).toString('hex')}`, 1), (error) => {
        assert.ok(error instanceof StoreError);
        assert.equal(error.fault, 'refused');
        assert.match(error.message, /^The store answered 404 NoSuchKey .+\.$/);
        return true;
      });
    });

    it('reports a missing bucket with the message of the store', async () => {
      using bucket = open({ bucket: `missing-${randomBytes(6).toString('hex')}` });
      await assert.rejects(bucket.list('', 1), /404 NoSuchBucket/);
    });

    it('reports a rejected key with the message of the store', async () => {
      using bucket = open({ accessKeyId: 'AKIANOBODYKNOWSTHIS0' });
      await assert.rejects(bucket.list('', 1), (error) => {
        assert.ok(error instanceof StoreError);
        assert.equal(error.fault, 'forbidden');
        assert.match(error.message, /InvalidAccessKeyId|XAdminUserNotFound/);
        return true;
      });
    });

    it('passes the test of all four actions, and the test leaves nothing', async () => {
      using bucket = open({ prefix: folderOf() });
      const checks = await tryBucket(bucket, signal);
      assert.deepEqual(
        checks.map(({ fault }) => fault),
        [undefined, undefined, undefined, undefined],
      );
      assert.deepEqual(await bucket.list('', 10), []);
    });
  });
}
