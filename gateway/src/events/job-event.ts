/**
 * Server-sent events of a job (WHATWG HTML, "Server-sent events").
 *
 * The id of an event is the job's place in its life: the per cent of a `progress`, and one more than a hundred for the
 * end, `completed` or `failed`. It depends on the job alone, so that every gateway knows from a Last-Event-ID what a
 * client has seen, and nobody has to remember what was sent.
 */
import { type FetchProgress, JobStatus } from '@audiosplit/proto/jobs/v1/jobs';
import { stringifyMembers } from '../http/input/json-text.ts';
import type { JobNotice } from '../mapping/splits.ts';

export interface JobState {
  readonly status: JobStatus;
  readonly progressPercent: number;
  /** While the source is being fetched. */
  readonly fetching?: FetchProgress | undefined;
}

/** Of a job about which there is nothing to tell yet, and of a client that has seen nothing. */
export const NOTHING_ID = -1;
export const END_ID = 101;

/** Milliseconds after which a client that has lost its stream should ask again. */
const RETRY_MS = 2_000;
export const RETRY_HINT = `retry: ${RETRY_MS}\n\n`;
/** A comment: it shows both ends, and all between them, that the other is there. */
export const HEARTBEAT = ':\n\n';

export function eventIdOf({ status, progressPercent }: JobState): number {
  switch (status) {
    case JobStatus.PROCESSING:
      return progressPercent;
    case JobStatus.COMPLETED:
    case JobStatus.FAILED:
      return END_ID;
    case JobStatus.QUEUED:
    case JobStatus.UNSPECIFIED:
      return NOTHING_ID;
    default:
      return status satisfies never;
  }
}

export type JobEvent =
  | {
      readonly id: number;
      readonly type: 'progress';
      readonly data: { readonly progress: number };
      readonly fetching?: FetchProgress | undefined;
    }
  | { readonly id: typeof END_ID; readonly type: JobNotice['status']; readonly data: JobNotice };

export function progressEvent({ progressPercent, fetching }: JobState): JobEvent {
  return { id: progressPercent, type: 'progress', data: { progress: progressPercent }, fetching };
}

export function endEvent(job: JobNotice): JobEvent {
  return { id: END_ID, type: job.status, data: job };
}

export function formatEvent({ id, type, data }: JobEvent): string {
  // JSON without white space has no line break that would end the field.
  return `id: ${id}\nevent: ${type}\ndata: ${stringifyMembers(data)}\n\n`;
}
