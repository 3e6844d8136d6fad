/** Exports from the request to the end of the file. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { accountScope, runWithIdempotencyKey } from '@audiosplit/chassis/idempotency/idempotency-key';
import { newId } from '@audiosplit/chassis/ids';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { until } from '@audiosplit/chassis/testing/until';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { type AccountFixture, DAY_MS, HOUR_MS } from '../account.fixture.ts';
import { headerOf } from '../mail/received-mail.fixture.ts';
import { type Exporter, startExporter } from './exporter.fixture.ts';

describe('exports', () => {
  let exporter: Exporter;
  let fixture: AccountFixture;
  let id: string;
  beforeEach(async () => {
    exporter = await startExporter();
    ({ fixture, id } = exporter);
  });
  afterEach(() => exporter[Symbol.asyncDispose]());

  /**
   * Begins an export that stops at its first call of the method (of any method if none is given) until the
   * test lets it continue.
   */
  async function beginHeld(method?: string) {
    const reached = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    fixture.others.onCall = async (called) => {
      if (called !== (method ?? called)) return;
      reached.resolve();
      await goOn.promise;
    };
    const { id: exportId } = await exporter.begin();
    await reached.promise;
    return { exportId, goOn: goOn.resolve };
  }

  // Covers I-4.8.4 D-6.8 D-6.9 I-2.9.1
  it('is made after the response to its request, and listed', async () => {
    const begun = await exporter.begin();
    assert.match(begun.id, /^exp_/);
    assert.equal(begun.status, 'processing');
    assert.equal(begun.format, 'json');
    assert(begun.createdAt && begun.estimatedCompletionAt);
    assert.ok(timestampDate(begun.estimatedCompletionAt) > timestampDate(begun.createdAt));
    const completed = await exporter.untilEnded(begun.id);
    const { exports, total } = await fixture.accounts.listExports(
      { page: 1, limit: 20 },
      fixture.actingFor(id),
    );
    assert.deepEqual({ exports, total }, { exports: [completed], total: 1n });
    const other = fixture.actingFor(newId('acc'));
    assert.equal((await fixture.accounts.listExports({ page: 1, limit: 20 }, other)).total, 0n);
    await refusal(fixture.accounts.getExport({ exportId: begun.id }, other), 'NOT_FOUND');
  });

  // Covers I-6.3 D-6.10
  it('is announced by mail, with the address of the file, and to the given webhook', async () => {
    const completed = await exporter.make({ webhookUrl: 'https://example.com/hook' });
    const [mail] = await fixture.mailTo(exporter.email, 1);
    assert(mail && completed.expiresAt);
    assert.equal(headerOf(mail, 'subject'), 'Your audiosplit data export is ready');
    const links = mail.text.match(/https:\/\/audiosplit\.example\/\S+/g);
    const expiresAt = timestampDate(completed.expiresAt);
    const base = 'https://audiosplit.example';
    assert.deepEqual(links, [`${base}/account`], 'one link, to the console');
    assert.ok(mail.text.includes(`${expiresAt.getUTCDate()} March 2026`), mail.text);
    const [event] = await fixture.published('exportFinished', id, 1);
    assert(event?.payload.case === 'exportFinished');
    const { exportId, status, format, webhookUrl } = event.payload.value;
    assert.deepEqual(
      { exportId, status, format, webhookUrl, expiresAt: event.payload.value.expiresAt },
      {
        exportId: completed.id,
        status: 'completed',
        format: 'json',
        webhookUrl: 'https://example.com/hook',
        expiresAt: completed.expiresAt,
      },
    );
  });

  // Covers D-6.11
  it('EXPORT_TOO_FREQUENT: while one is in progress, and for 24 hours from its start', async () => {
    const { exportId, goOn } = await beginHeld();
    const whileRunning = await refusal(exporter.begin(), 'EXPORT_TOO_FREQUENT');
    assert.match(whileRunning.publicMessage, /being made already/);
    assert.equal(whileRunning.retryAfterSeconds, 86_400);
    goOn();
    await exporter.untilEnded(exportId);
    fixture.advance(23 * HOUR_MS + 500);
    assert.equal((await refusal(exporter.begin(), 'EXPORT_TOO_FREQUENT')).retryAfterSeconds, 3_600);
    fixture.advance(HOUR_MS);
    await exporter.begin();
  });

  it('EXPORT_TOO_FREQUENT: all but one of several concurrent requests', async () => {
    const results = await Promise.allSettled(Array.from({ length: 4 }, () => exporter.begin()));
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
  });

  it('is the same export for the same idempotency key', async () => {
    const key = { scope: accountScope(id, 'jwt'), key: 'once', fingerprint: 'f', replayed: false };
    const first = await runWithIdempotencyKey(key, () => exporter.begin());
    const again = await runWithIdempotencyKey(key, () => exporter.begin());
    assert.deepEqual([again, key.replayed], [first, true]);
    assert.equal((await exporter.untilEnded(first.id)).status, 'completed');
  });

  it('ACCOUNT_PENDING_DELETION: an account with a pending deletion, or a purged one', async () => {
    await fixture.accounts.deleteAccount({ confirmation: 'DELETE MY ACCOUNT' }, fixture.actingFor(id));
    await refusal(exporter.begin(), 'ACCOUNT_PENDING_DELETION');
    fixture.advance(14 * DAY_MS);
    await fixture.runTask('purge-accounts');
    await refusal(exporter.begin(), 'ACCOUNT_PENDING_DELETION');
  });

  it('INVALID_PARAMS, UNAUTHORIZED: an unknown format, a bad page, no account', async () => {
    await refusal(exporter.begin({ format: 'xml' }), 'INVALID_PARAMS');
    const asHolder = fixture.actingFor(id);
    await refusal(fixture.accounts.listExports({ page: 0, limit: 20 }, asHolder), 'INVALID_PARAMS');
    await refusal(fixture.accounts.listExports({ page: 1, limit: 101 }, asHolder), 'INVALID_PARAMS');
    await refusal(fixture.accounts.createExport({ format: 'json' }), 'UNAUTHORIZED');
  });

  // Covers D-6.9
  it('expires after 7 days: reads fail at once, and the next sweep deletes the file', async () => {
    const { id: exportId } = await exporter.make();
    fixture.advance(7 * DAY_MS - 1);
    assert.equal((await exporter.read(exportId)).status, 'completed');
    fixture.advance(1);
    const expired = await exporter.read(exportId);
    assert.equal(expired.status, 'expired');
    assert.equal(expired.objectKey, undefined);
    assert(expired.expiresAt);
    assert.equal((await exporter.stored()).length, 1);
    await fixture.runTask('expire-exports');
    assert.deepEqual(await exporter.stored(), []);
    assert.equal((await exporter.read(exportId)).status, 'expired');
  });

  it('is taken over after another process was cut off, with a new fencing token', async () => {
    const { exportId, goOn } = await beginHeld('walkJobs');
    fixture.others.onCall = () => undefined;
    // As after a crash, the claim is not extended.
    fixture.advance(2 * 60_000);
    await fixture.startReplica();
    await until(async () => {
      await fixture.sql.query(
        `select account_scheduled.add_job('make-exports', '{}'::json, run_at => now(), job_key => 'make-exports')`,
      );
      return (await exporter.read(exportId)).status === 'completed';
    });
    const completed = await exporter.read(exportId);
    assert.match(completed.objectKey ?? '', /\/2\/audiosplit-export/);
    // The first attempt continues, finds its claim lost and leaves no file.
    goOn();
    await until(async () => (await exporter.stored()).length === 1);
    assert.deepEqual(await exporter.stored(), [completed.objectKey]);
    assert.deepEqual(await exporter.read(exportId), completed);
    assert.equal((await fixture.published('exportFinished', id, 1)).length, 1);
  });

  // Covers D-6.9 D-4.6
  it('is tried six times over a night, then fails; the next one starts with a new count', async () => {
    fixture.others.onCall = (method) => {
      if (method === 'walkDeliveries') throw new Error('webhooks is away');
    };
    const { id: exportId } = await exporter.begin({ webhookUrl: 'https://example.com/hook' });
    for (const [attempt, pauseMs] of [10_000, 60_000, 600_000, HOUR_MS, 8 * HOUR_MS].entries()) {
      await until(
        async () => (await exporter.attemptsOf(exportId)) === attempt + 1,
        `attempt ${attempt + 1}`,
      );
      // It may still be in progress.
      await until(
        async () => {
          const { rows } = await fixture.sql.query<{ at: Date }>(
            'select next_attempt_at as at from exports where id = $1',
            [exportId],
          );
          return rows[0]?.at.getTime() === fixture.now().getTime() + pauseMs;
        },
        `the pause after attempt ${attempt + 1}`,
      );
      assert.deepEqual(await exporter.stored(), []);
      fixture.advance(pauseMs);
      await fixture.runTask('make-exports');
    }
    assert.equal((await exporter.untilEnded(exportId)).status, 'failed');
    const [event] = await fixture.published('exportFinished', id, 1);
    assert(event?.payload.case === 'exportFinished' && event.payload.value.status === 'failed');
    const [mail] = await fixture.mailTo(exporter.email, 1);
    assert(mail);
    assert.equal(headerOf(mail, 'subject'), 'Your audiosplit data export has failed');
    fixture.others.onCall = () => undefined;
    assert.equal((await exporter.make()).status, 'completed');
  });

  it('is released by a process that stops, without counting the attempt, and made by the next process', async () => {
    const { exportId } = await beginHeld('walkJobs');
    await fixture.service[Symbol.asyncDispose]();
    assert.equal(await exporter.attemptsOf(exportId), 0);
    fixture.others.onCall = () => undefined;
    await fixture.startReplica();
    await until(async () => (await exporter.attemptsOf(exportId)) === 1);
  });

  it('of a purged account is deleted with its file, also while it is in progress', async () => {
    const { goOn } = await beginHeld('walkDeliveries');
    await fixture.tell(id, { case: 'accountPurged', value: {} });
    await until(async () => (await fixture.sql.query('select from exports')).rowCount === 0);
    goOn();
    await fixture.runTask('make-exports');
    await until(async () => (await exporter.stored()).length === 0);
    assert.equal((await fixture.sql.query('select from mails')).rowCount, 0);
  });
});
