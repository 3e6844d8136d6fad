/**
 * Uploads that arrive in parts: received bytes are counted once, and nothing of an abandoned upload is kept.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { UploadState } from '@audiosplit/proto/jobs/v1/jobs';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { aSplit, startJobsFixture } from '../jobs.fixture.ts';

const MIB = 1024n * 1024n;

describe('a resumable upload', () => {
  const fixture = forSuite(startJobsFixture);

  const begin = async (sizeBytes = 20n) => {
    const accountId = `acc_${randomUUID()}`;
    const as = () => fixture.as(accountId);
    const { uploadId } = await fixture.jobs.reserveUpload({ sizeBytes }, as());
    const key = `uploads/${accountId}/${uploadId}/a.mp3`;
    const multipartId = await fixture.store.beginMultipart(key, { contentType: 'audio/mpeg' });
    await fixture.jobs.beginResumableUpload({ uploadId, multipartId, metadata: 'filename YS5tcDM=' }, as());
    const tail = (id: string, sizeBytes: bigint) => ({ case: 'tail' as const, value: { id, sizeBytes } });
    return {
      accountId,
      uploadId,
      key,
      multipartId,
      as,
      tail,
      read: () => fixture.jobs.getResumableUpload({ uploadId }, as()),
      take: async () => (await fixture.jobs.takeUploadPart({ uploadId }, as())).number,
      add: (
        afterBytes: bigint,
        addedBytes: bigint,
        kept: ReturnType<typeof tail> | ReturnType<typeof part>,
      ) => fixture.jobs.addUploadBytes({ uploadId, afterBytes, addedBytes, kept }, as()),
      remove: () => fixture.jobs.removeResumableUpload({ uploadId }, as()),
    };
  };
  const part = (number: number, sizeBytes: bigint) => ({
    case: 'part' as const,
    value: { number, sizeBytes, tag: `tag-${number}` },
  });
  const putTail = async ({ accountId, uploadId }: { accountId: string; uploadId: string }, id: string) => {
    const key = `uploads/${accountId}/${uploadId}.tails/${id}/bytes`;
    await fixture.store.put(key, Readable.from(['bytes']), { contentType: 'audio/mpeg' });
    return key;
  };

  test('returns its announced and received bytes, to its own account only', async () => {
    const upload = await begin(20n);
    await upload.add(0n, 5n, upload.tail('one', 5n));
    await upload.add(5n, 7n, part(await upload.take(), 12n));
    const { sizeBytes, arrivedBytes, metadata, multipartId, parts, tail, isStored } = await upload.read();
    assert.deepEqual(
      [sizeBytes, arrivedBytes, metadata, multipartId, parts.length, tail, isStored],
      [20n, 12n, 'filename YS5tcDM=', upload.multipartId, 1, undefined, false],
    );
    const stranger = fixture.as(`acc_${randomUUID()}`);
    const { uploadId } = upload;
    await refusal(fixture.jobs.getResumableUpload({ uploadId }, stranger), 'UPLOAD_NOT_FOUND');
    await refusal(fixture.jobs.takeUploadPart({ uploadId }, stranger), 'UPLOAD_NOT_FOUND');
    await refusal(fixture.jobs.removeResumableUpload({ uploadId }, stranger), 'UPLOAD_NOT_FOUND');
  });

  test('409: of several requests at the same offset only the first counts, and none beyond the announced size', async () => {
    const upload = await begin(20n);
    const settled = await Promise.allSettled(
      ['a', 'b', 'c', 'd'].map((id) => upload.add(0n, 5n, upload.tail(id, 5n))),
    );
    assert.equal(settled.filter(({ status }) => status === 'fulfilled').length, 1);
    const { publicMessage } = await refusal(
      upload.add(0n, 5n, upload.tail('e', 5n)),
      'UPLOAD_OFFSET_CONFLICT',
    );
    assert.match(publicMessage, /^5 bytes of the file have arrived/);
    await refusal(upload.add(5n, 16n, part(await upload.take(), 21n)), 'UPLOAD_OFFSET_CONFLICT');
    assert.equal((await upload.read()).arrivedBytes, 5n);
  });

  test('gives each part its own number, also for concurrent requests', async () => {
    const upload = await begin();
    const numbers = await Promise.all([1, 2, 3, 4, 5].map(() => upload.take()));
    assert.deepEqual(numbers.toSorted(), [1, 2, 3, 4, 5]);
  });

  test('that is started twice keeps its first metadata', async () => {
    const upload = await begin();
    const { uploadId } = upload;
    await fixture.jobs.beginResumableUpload({ uploadId, multipartId: 'other', metadata: 'x' }, upload.as());
    const { multipartId, metadata } = await upload.read();
    assert.deepEqual([multipartId, metadata], [upload.multipartId, 'filename YS5tcDM=']);
  });

  test('removes a tail that has become part of a later tail or a part', async () => {
    const upload = await begin();
    const former = await putTail(upload, 'one');
    await upload.add(0n, 5n, upload.tail('one', 5n));
    const latter = await putTail(upload, 'two');
    await upload.add(5n, 5n, upload.tail('two', 10n));
    await fixture.runTask('sweep-objects');
    await assert.rejects(fixture.store.head(former));
    await fixture.store.head(latter);
  });

  test('that is removed returns its bytes and drops its parts; a complete one is kept', async () => {
    const upload = await begin(100n * MIB);
    const tail = await putTail(upload, 'one');
    await upload.add(0n, 5n, upload.tail('one', 5n));
    await upload.remove();
    await refusal(upload.read(), 'UPLOAD_NOT_FOUND');
    for (let n = 0; n < 2; n++) await fixture.jobs.reserveUpload({ sizeBytes: 100n * MIB }, upload.as());
    await fixture.runTask('sweep-objects');
    await assert.rejects(fixture.store.head(tail));
    const { key, multipartId } = upload;
    await assert.rejects(fixture.store.putPart({ key, multipartId, number: 1 }, Readable.from(['x']), 1));
    const complete = await begin(5n);
    await complete.add(0n, 5n, part(await complete.take(), 5n));
    await refusal(complete.remove(), 'UPLOAD_OFFSET_CONFLICT');
  });

  test('that has expired keeps nothing, and accepts nothing more', async () => {
    const upload = await begin();
    const tail = await putTail(upload, 'one');
    await upload.add(0n, 5n, upload.tail('one', 5n));
    await fixture.sql.query('update uploads set expires_at = now() where id = $1', [upload.uploadId]);
    await refusal(upload.add(5n, 5n, upload.tail('two', 10n)), 'UPLOAD_NOT_FOUND');
    await refusal(upload.read(), 'UPLOAD_NOT_FOUND');
    await fixture.runTask('sweep-uploads');
    await assert.rejects(fixture.store.head(tail));
    const { key, multipartId } = upload;
    await assert.rejects(fixture.store.putPart({ key, multipartId, number: 1 }, Readable.from(['x']), 1));
  });

  test('can still complete after a job has referred to it', async () => {
    const upload = await begin(5n);
    const { request } = aSplit();
    const use = () => fixture.jobs.createJob({ request: { ...request, uploadKey: upload.key } }, upload.as());
    await use();
    await upload.add(0n, 5n, part(await upload.take(), 5n));
    const { accountId, uploadId } = upload;
    const expiresAt = timestampFromDate(new Date(Date.now() + 3_600_000));
    const stored = { uploadId, accountId, state: UploadState.STORED, receivedBytes: 5n, expiresAt };
    await fixture.jobs.reportUploads({ uploads: [stored] });
    assert.equal((await upload.read()).isStored, true);
    await use();
    await refusal(upload.read(), 'UPLOAD_NOT_FOUND');
  });
});
