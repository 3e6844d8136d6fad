/**
 * Server-sent events of a job (WHATWG HTML, "Server-sent events").
 *
 * The id of an event is the percentage of a `progress` event, and 101 for the end, `completed` or `failed`. It depends
 * on the job alone, so every gateway knows from Last-Event-ID what a client has seen, without stored state.
 */
import { type FetchProgress, JobStatus } from '@audiosplit/proto/jobs/v1/jobs';
import type { Static } from 'typebox';
import { stringifyMembers } from '../http/input/json-text.ts';
import { type JobNotice, phaseOf, toFetching } from '../mapping/splits.ts';
import type { Fetching, ProcessingPhase } from '../schemas/splits.ts';

export interface JobState {
  readonly status: JobStatus;
  readonly progressPercent: number;
  /** While the source is being fetched. */
  readonly fetching?: FetchProgress | undefined;
}

/** Id before the first event. */
export const NOTHING_ID = -1;
export const END_ID = 101;

/** Milliseconds after which a disconnected client should reconnect. */
const RETRY_MS = 2_000;
export const RETRY_HINT = `retry: ${RETRY_MS}\n\n`;
/** A comment that keeps the connection alive. */
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
      readonly data: {
        readonly progress: number;
        readonly phase: ProcessingPhase;
        readonly fetching?: Static<typeof Fetching>;
      };
    }
  | { readonly id: typeof END_ID; readonly type: JobNotice['status']; readonly data: JobNotice };

export function progressEvent(state: JobState): JobEvent {
  const { progressPercent, fetching } = state;
  const data = {
    progress: progressPercent,
    phase: phaseOf(state),
    ...(fetching === undefined ? {} : { fetching: toFetching(fetching) }),
  };
  return { id: progressPercent, type: 'progress', data };
}

export function endEvent(job: JobNotice): JobEvent {
  return { id: END_ID, type: job.status, data: job };
}

export function formatEvent({ id, type, data }: JobEvent): string {
  // Compact JSON has no line break, which would end the field.
  return `id: ${id}\nevent: ${type}\ndata: ${stringifyMembers(data)}\n\n`;
}
