import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromCutFields } from '@audiosplit/proto/cut';
import { SplitStatusChangedSchema } from '@audiosplit/proto/events/v1/events';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { splitNotification } from './split-notification.ts';

const AT = new Date('2026-03-01T12:00:00Z');

function notify(change: MessageInitShape<typeof SplitStatusChangedSchema>) {
  const job = create(SplitStatusChangedSchema, {
    jobId: 'job_1',
    status: 'processing',
    splitMode: 'fileSize',
    maxFileSizeBytes: 1_000_000n,
    createdAt: timestampFromDate(AT),
    webhookUrl: 'https://example.com/',
    ...change,
  });
  return splitNotification(job, AT);
}

test('a job in fileSize mode: unknown fields are omitted or null, as in lists', () => {
  const notification = notify({});
  assert.equal(notification?.subject, 'job_1');
  assert.deepEqual(JSON.parse(notification?.body ?? ''), {
    type: 'split.processing',
    timestamp: AT.toISOString(),
    data: {
      id: 'job_1',
      status: 'processing',
      splitMode: 'fileSize',
      maxFileSize: 1_000_000,
      segmentCount: null,
      createdAt: AT.toISOString(),
      completedAt: null,
    },
  });
});

// Covers C-1.1
test('the cut is in the same fields as in earlier releases', () => {
  for (const [fields, before] of [
    [
      { splitMode: 'duration', segmentDuration: 60 },
      { segmentDurationSeconds: 60, maxFileSizeBytes: undefined },
    ],
    [{ splitMode: 'fileSize', maxFileSize: 1_000_000 }, {}],
  ] as const) {
    const body = notify({ cut: fromCutFields(fields) })?.body ?? '';
    assert.equal(body, notify({ splitMode: fields.splitMode, ...before })?.body);
    assert.ok(
      body.includes(`"status":"processing",${JSON.stringify(fields).slice(1, -1)},"segmentCount"`),
      body,
    );
  }
});

// Covers C-9.9 C-10.3
test('the mode and plain numbers of a cut are included, and whether it is a dry run', () => {
  const cut = fromCutFields({
    splitMode: 'ranges',
    ranges: [{ start: 0, title: 'x' }],
    maxDuration: 60.5,
    maxFileSize: 65_536,
    fileName: '{number}',
    encoding: { channels: 1 },
    dryRun: true,
  });
  const { data } = JSON.parse(notify({ cut })?.body ?? '');
  assert.deepEqual(data, {
    id: 'job_1',
    status: 'processing',
    splitMode: 'ranges',
    maxDuration: 60.5,
    maxFileSize: 65_536,
    dryRun: true,
    segmentCount: null,
    createdAt: AT.toISOString(),
    completedAt: null,
  });
  const usual = notify({ cut: fromCutFields({ splitMode: 'silence', dryRun: false }) })?.body ?? '';
  assert.equal('dryRun' in JSON.parse(usual).data, false);
});

test('a failed job has failedAt and no completedAt', () => {
  const body = notify({
    status: 'failed',
    completedAt: timestampFromDate(AT),
    segmentCount: 2,
    errorCode: 'X',
    failedAt: timestampFromDate(AT),
  });
  const { data } = JSON.parse(body?.body ?? '');
  assert.equal(data.failedAt, AT.toISOString());
  assert.deepEqual([data.completedAt, data.segmentCount], [null, null]);
  assert.deepEqual(data.error, { code: 'X', message: '' });
});

test('a completed job has the name of its source', () => {
  const { data } = JSON.parse(notify({ status: 'completed', sourceFileName: 'talk.mp3' })?.body ?? '');
  assert.equal(data.sourceFileName, 'talk.mp3');
  assert.equal('failedAt' in data, false);
});

test('other statuses are not notified', () => {
  for (const status of ['queued', '', 'constructor']) assert.equal(notify({ status }), undefined, status);
});

// Covers D-4.9
test('the body stays under 20 KiB with the largest metadata and a very long error', () => {
  const metadataJson = JSON.stringify({ note: 'é'.repeat(4_080) });
  const notification = notify({
    status: 'failed',
    metadataJson,
    errorCode: 'X',
    errorMessage: '\u0001'.repeat(99_999),
    sourceFileName: '\u0001'.repeat(99_999),
    failedAt: timestampFromDate(AT),
  });
  const body = notification?.body ?? '';
  assert.ok(Buffer.byteLength(body) < 20 * 1024);
  assert.ok(body.includes(metadataJson));
  const most = { metadataJson: `"${'x'.repeat(12 * 1024 - 2)}"`, errorMessage: '\u0001'.repeat(9_999) };
  const full = notify({ ...most, errorCode: 'X', sourceFileName: '\u0001'.repeat(9_999) })?.body ?? '';
  assert.ok(full.includes(most.metadataJson) && Buffer.byteLength(full) < 20 * 1024);
  assert.ok(Buffer.byteLength(notify({ metadataJson: `{"a":"${'x'.repeat(30_000)}"}` })?.body ?? '') < 1_024);
});
