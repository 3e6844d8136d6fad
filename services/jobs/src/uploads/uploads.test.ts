/** How many uploads an account may have in progress and not yet used by a job (decision 50). */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { UnavailableError } from '@audiosplit/chassis/errors';
import { newId } from '@audiosplit/chassis/ids';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { UploadState } from '@audiosplit/proto/jobs/v1/jobs';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { aSplit, startJobsFixture } from '../jobs.fixture.ts';

const MIB = 1024n * 1024n;
const HOUR_MS = 3_600_000;

describe('the uploads of an account', () => {
  const fixture = forSuite(() => startJobsFixture({ concurrentJobs: 2 }));

  const newAccount = () => `acc_${randomUUID()}`;
  const reserve = (accountId: string, sizeBytes?: bigint) =>
    fixture.jobs.reserveUpload(sizeBytes === undefined ? {} : { sizeBytes }, fixture.as(accountId));
  const report = async (
    accountId: string,
    state: UploadState,
    { uploadId = newId('upl'), receivedBytes = 0n, expiresInMs = HOUR_MS } = {},
  ) => {
    const expiresAt = timestampFromDate(new Date(Date.now() + expiresInMs));
    await fixture.jobs.reportUploads({ uploads: [{ uploadId, accountId, state, receivedBytes, expiresAt }] });
    return uploadId;
  };
  const refused = async (reserving: Promise<unknown>) => {
    const { publicMessage, retryAfterSeconds } = await refusal(reserving, 'UPLOAD_LIMIT_REACHED');
    assert.ok(Number(retryAfterSeconds) > 0);
    return publicMessage;
  };
  const use = (accountId: string, uploadId: string) => {
    const { request } = aSplit();
    const uploadKey = `uploads/${accountId}/${uploadId}/a.mp3`;
    return fixture.jobs.createJob({ request: { ...request, uploadKey } }, fixture.as(accountId));
  };

  // Covers B-8.1
  test('in progress are at most twice the jobs that may run, until one has ended', async () => {
    const account = newAccount();
    const receiving = [];
    for (let n = 0; n < 4; n++) {
      await reserve(account);
      receiving.push(await report(account, UploadState.RECEIVING));
    }
    assert.match(await refused(reserve(account)), /^4 uploads are in progress/);
    await reserve(newAccount());
    await report(account, UploadState.STORED, { uploadId: receiving[0] ?? '', receivedBytes: 1n });
    await reserve(account);
  });

  // Covers B-1.6
  test('of a gateway that has died no longer count after 30 s', async () => {
    const account = newAccount();
    for (let n = 0; n < 4; n++) {
      await report(account, UploadState.RECEIVING, { receivedBytes: 60n * MIB });
    }
    await refused(reserve(account));
    await fixture.sql.query(
      "update uploads set receiving_until = receiving_until - interval '30 seconds' where account_id = $1",
      [account],
    );
    await reserve(account, 100n * MIB);
  });

  // Covers B-8.2
  test('count their bytes from the announcement, up to twice the largest file', async () => {
    const account = newAccount();
    await reserve(account, 100n * MIB);
    await reserve(account, 60n * MIB);
    assert.match(await refused(reserve(account, 41n * MIB)), /209715200 bytes/);
    await reserve(account, 40n * MIB);
    await refused(reserve(account));
  });

  test('that are announced concurrently do not both take the last capacity', async () => {
    const account = newAccount();
    await reserve(account, 100n * MIB);
    const settled = await Promise.allSettled([1, 2, 3, 4].map(() => reserve(account, 60n * MIB)));
    assert.equal(settled.filter(({ status }) => status === 'fulfilled').length, 1);
  });

  // Covers B-8.2
  test('without an announcement count the received bytes; a broken upload counts none', async () => {
    const account = newAccount();
    const uploadId = await report(account, UploadState.RECEIVING, { receivedBytes: 199n * MIB });
    await reserve(account);
    await report(account, UploadState.RECEIVING, { uploadId, receivedBytes: 200n * MIB });
    await refused(reserve(account));
    await report(account, UploadState.BROKEN_OFF, { uploadId, receivedBytes: 200n * MIB });
    await reserve(account);
    await report(account, UploadState.STORED, { uploadId, receivedBytes: 200n * MIB });
    await refused(reserve(account));
    // The same link again: the stored file remains if this upload breaks off.
    await report(account, UploadState.RECEIVING, { uploadId });
    await report(account, UploadState.BROKEN_OFF, { uploadId });
    await refused(reserve(account));
  });

  test('used by a job release their bytes, except one that is still in progress', async () => {
    const account = newAccount();
    const uploadId = await report(account, UploadState.RECEIVING, { receivedBytes: 200n * MIB });
    await use(account, uploadId);
    await refused(reserve(account));
    await report(account, UploadState.STORED, { uploadId, receivedBytes: 200n * MIB });
    await use(newAccount(), uploadId).catch(() => undefined);
    await refused(reserve(account));
    await use(account, uploadId);
    await reserve(account, 100n * MIB);
  });

  test('release their bytes when their link expires, and the file is removed', async () => {
    const account = newAccount();
    const ended = { receivedBytes: 200n * MIB, expiresInMs: -1_000 };
    const keys = [];
    for (const name of ['/a.mp3', '']) {
      const uploadId = await report(account, UploadState.STORED, ended);
      const key = `uploads/${account}/${uploadId}${name}`;
      await fixture.store.put(key, Readable.from(['audio']), { contentType: 'audio/mpeg' });
      keys.push(key);
    }
    const live = `uploads/${account}/${await report(account, UploadState.STORED, { receivedBytes: 5n })}/b.mp3`;
    await fixture.store.put(live, Readable.from(['audio']), { contentType: 'audio/mpeg' });
    await reserve(account, 100n * MIB);
    await fixture.runTask('sweep-uploads');
    for (const key of keys) await assert.rejects(fixture.store.head(key));
    await fixture.store.head(live);
    const { rows } = await fixture.sql.query('select id from uploads where account_id = $1', [account]);
    assert.equal(rows.length, 2);
  });

  // Covers B-8.3
  test('413 for an announcement beyond the plan; an upgrade known to billing applies at once', async () => {
    const account = newAccount();
    const { publicMessage } = await refusal(reserve(account, 100n * MIB + 1n), 'FILE_TOO_LARGE');
    assert.match(publicMessage, /plan allows 104,857,600 bytes/);
    const { limits } = fixture.billing;
    fixture.billing.limits = { ...limits, maxFileSizeBytes: 200n * MIB, revision: 2n };
    await reserve(account, 101n * MIB);
    fixture.billing.limits = limits;
  });

  test('use the known limits while billing is unavailable', async () => {
    const account = newAccount();
    await reserve(account, 100n * MIB);
    fixture.billing.beforeLimits = () => Promise.reject(new UnavailableError(new Error('away')));
    await reserve(account, 100n * MIB);
    await refused(reserve(account));
    fixture.billing.beforeLimits = async () => {};
  });
});
