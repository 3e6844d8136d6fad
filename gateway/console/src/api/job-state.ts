/** The state of a job as shown, which is finer than the API's status. */
import type { JobStatus } from '@audiosplit/proto/vocabulary';
import type { FailedJob } from './client.ts';

type ErrorCode = FailedJob['error']['code'];

/** The owner asked for the cancellation, so it is not shown as a failure. */
type ShownStatus = JobStatus | 'canceledJob';

export interface JobState {
  readonly status: JobStatus;
  readonly error?: { readonly code: string };
}

export function shownStatusOf({ status, error }: JobState): ShownStatus {
  return status === 'failed' && error?.code === 'CANCELED' ? 'canceledJob' : status;
}

/** What helps after a failure: a retry, a larger plan, a higher spend limit, or another file or other settings. */
type Remedy = 'again' | 'plan' | 'limit' | 'other';

const REMEDIES = {
  SOURCE_UNREACHABLE: 'again',
  SOURCE_TIMEOUT: 'again',
  TIMED_OUT: 'again',
  INTERNAL_ERROR: 'again',
  CANCELED: 'again',
  FILE_TOO_LARGE: 'plan',
  QUOTA_EXCEEDED: 'plan',
  SPEND_LIMIT_REACHED: 'limit',
  OUTPUT_TOO_LARGE: 'plan',
  SOURCE_FORBIDDEN: 'other',
  FORBIDDEN_BY_STORE: 'other',
  DESTINATION_UNREACHABLE: 'again',
  UNSUPPORTED_MEDIA: 'other',
  SEGMENT_LIMIT_UNREACHABLE: 'other',
  TOO_MANY_SEGMENTS: 'other',
  NO_SOUND: 'other',
  NO_CHAPTERS: 'other',
  RANGE_OUTSIDE_SOURCE: 'other',
  TOO_MUCH_OVERLAP: 'other',
  NO_SUCH_TRACK: 'other',
  ENCODING_UNSUPPORTED: 'other',
} as const satisfies Record<ErrorCode, Remedy>;

/** A newer service may send unknown codes. */
export function remedyOf(code: string): Remedy {
  return (REMEDIES as Readonly<Record<string, Remedy>>)[code] ?? 'other';
}
