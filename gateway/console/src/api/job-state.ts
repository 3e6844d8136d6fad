/** What a person sees of a job, beyond what the API's status says. */
import type { JobStatus } from '@audiosplit/proto/vocabulary';
import type { FailedJob } from './client.ts';

type ErrorCode = FailedJob['error']['code'];

/** Canceled is what its owner wanted, and no failure. */
export type ShownStatus = JobStatus | 'canceledJob';

export interface JobState {
  readonly status: JobStatus;
  readonly error?: { readonly code: string };
}

export function shownStatusOf({ status, error }: JobState): ShownStatus {
  return status === 'failed' && error?.code === 'CANCELED' ? 'canceledJob' : status;
}

/** What helps a job that has failed: the same once more, a larger plan, or only another file or other settings. */
export type Remedy = 'again' | 'plan' | 'other';

const REMEDIES = {
  SOURCE_UNREACHABLE: 'again',
  SOURCE_TIMEOUT: 'again',
  TIMED_OUT: 'again',
  INTERNAL_ERROR: 'again',
  CANCELED: 'again',
  FILE_TOO_LARGE: 'plan',
  QUOTA_EXCEEDED: 'plan',
  SOURCE_FORBIDDEN: 'other',
  UNSUPPORTED_MEDIA: 'other',
  SEGMENT_LIMIT_UNREACHABLE: 'other',
  TOO_MANY_SEGMENTS: 'other',
} as const satisfies Record<ErrorCode, Remedy>;

/** A service newer than this page may know more codes. */
export function remedyOf(code: string): Remedy {
  return (REMEDIES as Readonly<Record<string, Remedy>>)[code] ?? 'other';
}
