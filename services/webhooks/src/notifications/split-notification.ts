/**
 * The notification of a job's new status: `{type, timestamp, data}`. `data` is the job as in a list, with its
 * metadata and its error.
 */
import { toCutFields } from '@audiosplit/proto/cut';
import { toCutRow } from '@audiosplit/proto/cut-row';
import type { SplitStatusChanged } from '@audiosplit/proto/events/v1/events';
import { readCut } from '@audiosplit/proto/previous-cut';
import type { NotificationType } from '@audiosplit/proto/vocabulary';
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import type { Notification } from '../delivery/delivery.ts';

const TYPE_OF_STATUS: ReadonlyMap<string, NotificationType> = new Map([
  ['processing', 'split.processing'],
  ['completed', 'split.completed'],
  ['failed', 'split.failed'],
]);

/**
 * Standard Webhooks recommends bodies under 20 KiB. Metadata has at most 8 KiB and a file name 200 bytes when
 * a job is created; the error's message is truncated here, and so is a longer name. A character of JSON has
 * at most 6 bytes; the rest takes a few hundred.
 */
const MAX_METADATA_BYTES = 12 * 1024;
const MAX_ERROR_CHARACTERS = 1_000;
const MAX_NAME_CHARACTERS = 200;

/** Undefined for a status without a notification. */
export function splitNotification(job: SplitStatusChanged, occurredAt: Date): Notification | undefined {
  const type = TYPE_OF_STATUS.get(job.status);
  if (type === undefined) return undefined;
  const timestamp = occurredAt.toISOString();
  return {
    type,
    subject: job.jobId,
    body: `{"type":"${type}","timestamp":"${timestamp}","data":${dataOf(job)}}`,
  };
}

function dataOf(job: SplitStatusChanged): string {
  const isCompleted = job.status === 'completed';
  const isFailed = job.status === 'failed';
  const cut = toCutFields(readCut(job));
  const row = JSON.stringify({
    id: job.jobId,
    status: job.status,
    ...(cut === undefined ? {} : toCutRow(cut)),
    dryRun: cut?.dryRun === true ? true : undefined,
    outputFormat: job.outputFormat,
    sourceFileName: job.sourceFileName?.slice(0, MAX_NAME_CHARACTERS),
    segmentCount: isCompleted ? (job.segmentCount ?? null) : null,
    createdAt: toIsoTime(job.createdAt),
    completedAt: isCompleted ? toIsoTime(job.completedAt) : null,
    failedAt: isFailed && job.failedAt !== undefined ? toIsoTime(job.failedAt) : undefined,
    error:
      job.errorCode === undefined
        ? undefined
        : { code: job.errorCode, message: job.errorMessage?.slice(0, MAX_ERROR_CHARACTERS) ?? '' },
  });
  const metadata = job.metadataJson;
  if (metadata === undefined || Buffer.byteLength(metadata) > MAX_METADATA_BYTES) return row;
  // Inserted as text: parsing would lose numbers and keys that JavaScript's types cannot represent.
  return `${row.slice(0, -1)},"metadata":${metadata}}`;
}

function toIsoTime(timestamp: Timestamp | undefined): string | null {
  return timestamp === undefined ? null : timestampDate(timestamp).toISOString();
}
