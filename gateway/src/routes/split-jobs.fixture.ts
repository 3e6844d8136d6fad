/** Jobs as returned by the jobs service. */
import { fromCutFields } from '@audiosplit/proto/cut';
import { type JobSchema, JobStatus, OutputFormat } from '@audiosplit/proto/jobs/v1/jobs';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';

export const CREATED_AT = new Date('2026-03-01T12:00:00.250Z');
export const COMPLETED_AT = new Date('2026-03-01T12:01:00.000Z');
export const FAILED_AT = new Date('2026-03-01T12:00:30.000Z');
export type JobInit = MessageInitShape<typeof JobSchema>;

export const queued = {
  id: 'job_1',
  status: JobStatus.QUEUED,
  request: {
    sourceUrl: 'https://example.com/a.mp3',
    cut: fromCutFields({ splitMode: 'duration', segmentDuration: 30 }),
  },
  createdAt: timestampFromDate(CREATED_AT),
} satisfies JobInit;
export const failed = {
  ...queued,
  status: JobStatus.FAILED,
  error: { code: 'SOURCE_TIMEOUT', message: 'Too slow.' },
  failedAt: timestampFromDate(FAILED_AT),
} satisfies JobInit;
export const completed = {
  ...queued,
  status: JobStatus.COMPLETED,
  request: {
    cut: fromCutFields({ splitMode: 'fileSize', maxFileSize: 2_147_483_648 }),
    outputFormat: OutputFormat.OGG,
  },
  metadataJson: '{"episode":7,"tags":["a",null]}',
  sourceFileName: 'talk.mp3',
  sourceDurationMs: 60_500n,
  sourceSizeBytes: 5_000_000_000n,
  segmentCount: 2,
  segments: [
    {
      index: 0,
      objectKey: 'jobs/job_1/1/0.ogg',
      fileName: 'talk-0.ogg',
      startMs: 0n,
      durationMs: 60_499n,
      sizeBytes: 900n,
    },
    {
      index: 1,
      objectKey: 'jobs/job_1/1/1.ogg',
      fileName: 'talk-1.ogg',
      startMs: 60_499n,
      durationMs: 1n,
      sizeBytes: 7n,
    },
  ],
  completedAt: timestampFromDate(COMPLETED_AT),
} satisfies JobInit;
