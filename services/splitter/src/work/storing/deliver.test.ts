import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { beforeEach, describe, it } from 'node:test';
import { createGuardedEgress } from '@audiosplit/chassis/egress/guarded-egress';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import type { BucketAddress } from '../../bucket/bucket.ts';
import { openS3Bucket } from '../../bucket/s3-bucket.ts';
import { S3_SECRET_KEY, startS3Server } from '../../bucket/s3-server.fixture.ts';
import { createAccountPlaces } from '../shares/account-places.ts';
import { deliver } from './deliver.ts';
import { DestinationError } from './destination-error.ts';

const FOLDER = 'segments/job_1/';

describe('segments that are put into a bucket', () => {
  const server = forSuite(startS3Server);
  const egress = forSuite(async () =>
    createGuardedEgress({ allowCidrs: ['127.0.0.0/8'], allowUrlPrefixes: [] }),
  );
  beforeEach(() => {
    server.refusalOf = () => undefined;
    server.before = async () => {};
    server.objects.clear();
  });

  const files = (sizes: readonly number[]) =>
    sizes.map((sizeBytes, index) => ({
      name: `talk-${index}.mp3`,
      contentType: 'audio/mpeg',
      read: () => Readable.from([Buffer.alloc(sizeBytes, index)]),
    }));
  const put = (sizes: readonly number[], signal = new AbortController().signal, limit = 16) => {
    const { type: _, ...connection } = server.connection;
    const address = { ...connection, prefix: 'in/' } as BucketAddress;
    const bucket = openS3Bucket(address, { egress, accountId: 'acc_1', signal });
    const transfers = createAccountPlaces({ limit, onSetAside: () => undefined });
    const delivery = { bucket, folder: FOLDER, accountId: 'acc_1', transfers, signal };
    return deliver(delivery, files(sizes), (locations) => ({ locations }));
  };
  const failureOf = async (putting: Promise<unknown>): Promise<DestinationError> => {
    try {
      await putting;
    } catch (error) {
      assert.ok(error instanceof DestinationError, String(error));
      return error;
    }
    return assert.fail('they were put there');
  };
  const keys = () => [...server.objects.keys()].sort();
  const SET = [
    'in/segments/job_1/manifest.json',
    'in/segments/job_1/talk-0.mp3',
    'in/segments/job_1/talk-1.mp3',
  ];

  it('are stored in the folder of the job, large ones in parts, and the manifest last', async () => {
    const order: string[] = [];
    server.before = async ({ method, key }) => {
      if (method === 'PUT' || method === 'POST') order.push(key);
    };
    const locations = await put([10, 20_000_000]);
    assert.deepEqual(keys(), SET);
    assert.deepEqual(locations, [
      's3://audio/in/segments/job_1/talk-0.mp3',
      's3://audio/in/segments/job_1/talk-1.mp3',
    ]);
    assert.equal(server.objects.get('in/segments/job_1/talk-1.mp3')?.bytes.length, 20_000_000);
    assert.equal(order.at(-1), 'in/segments/job_1/manifest.json');
    assert.equal(server.begunUploads(), 0);
    const manifest = JSON.parse(String(server.objects.get('in/segments/job_1/manifest.json')?.bytes));
    assert.deepEqual(manifest, { locations });
  });

  it('replace the result of an earlier attempt: one set, and nothing of others', async () => {
    for (const key of ['in/segments/job_1/talk-7.mp3', 'in/segments/job_10/talk-0.mp3'])
      server.objects.set(key, { bytes: Buffer.from('old'), contentType: 'audio/mpeg' });
    await put([10, 10]);
    assert.deepEqual(keys(), [...SET, 'in/segments/job_10/talk-0.mp3'].sort());
  });

  it('have no manifest if the store rejects one of them; the error has the message of the store and no secret', async () => {
    server.refusalOf = ({ method, key }) =>
      method === 'PUT' && key.endsWith('talk-1.mp3')
        ? { status: 403, code: 'AccessDenied', message: `No more for ${S3_SECRET_KEY}` }
        : undefined;
    const { failure, message, retryable } = await failureOf(put([10, 10]));
    assert.deepEqual([failure, retryable], ['FORBIDDEN_BY_STORE', false]);
    assert.equal(
      message,
      'The segments cannot be put into their bucket. The store answered 403 AccessDenied No more for …',
    );
    assert.ok(!server.objects.has('in/segments/job_1/manifest.json'));
  });

  it('DESTINATION_UNREACHABLE: retryable for a full bucket, not retryable for a missing one', async () => {
    server.refusalOf = ({ method }) =>
      method === 'PUT'
        ? { status: 507, code: 'InsufficientStorage', message: 'The bucket is full.' }
        : undefined;
    const full = await failureOf(put([10]));
    assert.deepEqual([full.failure, full.retryable], ['DESTINATION_UNREACHABLE', true]);
    assert.match(full.message, /507 InsufficientStorage The bucket is full\./);
    server.refusalOf = () => ({ status: 404, code: 'NoSuchBucket', message: 'The bucket does not exist.' });
    const gone = await failureOf(put([10]));
    assert.deepEqual([gone.failure, gone.retryable], ['DESTINATION_UNREACHABLE', false]);
  });

  it('are abandoned with the reason of the signal, and the next attempt leaves one set and no parts', async () => {
    const stopping = new AbortController();
    server.before = async ({ method, key }) => {
      if (method === 'PUT' && key.endsWith('talk-1.mp3')) stopping.abort(new Error('the lease is lost'));
    };
    await assert.rejects(put([10, 20_000_000], stopping.signal), /the lease is lost/);
    server.before = async () => {};
    await put([10, 10]);
    assert.deepEqual(keys(), SET);
    assert.equal(server.begunUploads(), 0);
  });
});
