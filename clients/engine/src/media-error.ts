import { segmentLimitUnreachable as limitUnreachable, PlanError } from '@audiosplit/cuts/plan/plan-error';

/** The job error codes of the public contract that the engine itself can report. */
export type MediaFailure =
  | 'UNSUPPORTED_MEDIA'
  | 'SEGMENT_LIMIT_UNREACHABLE'
  | 'TOO_MANY_SEGMENTS'
  | 'QUOTA_EXCEEDED'
  | 'OUTPUT_TOO_LARGE'
  | 'NO_SOUND'
  | 'NO_CHAPTERS'
  | 'RANGE_OUTSIDE_SOURCE'
  | 'TOO_MUCH_OVERLAP'
  | 'NO_SUCH_TRACK'
  | 'ENCODING_UNSUPPORTED'
  | 'INTERNAL_ERROR';

interface MediaErrorOptions extends ErrorOptions {
  readonly isAttack?: boolean;
}

/**
 * The source cannot be split as requested. `message` is shown to the API's caller; `cause` is for the log.
 */
export class MediaError extends Error {
  override readonly name = 'MediaError';
  readonly failure: MediaFailure;
  /** Whether the source made ffmpeg do something that only an attacker in control of it would do. */
  readonly isAttack: boolean;
  constructor(
    failure: MediaFailure,
    message: string,
    { isAttack = false, ...options }: MediaErrorOptions = {},
  ) {
    super(message, options);
    this.failure = failure;
    this.isAttack = isAttack;
  }
}

/** Whether the error ended a split whose source has taken control of ffmpeg. */
export function isAttack(error: unknown): boolean {
  return error instanceof MediaError && error.isAttack;
}

/** Of a request that no plan of the source can satisfy. Other errors stay as they are. */
export function toMediaError(error: unknown): unknown {
  return error instanceof PlanError ? new MediaError(error.failure, error.message) : error;
}

export function segmentLimitUnreachable(content = 'a header and one frame of this source'): MediaError {
  const { failure, message } = limitUnreachable(content);
  return new MediaError(failure, message);
}

export function unsupportedMedia(message: string): MediaError {
  return new MediaError('UNSUPPORTED_MEDIA', message);
}

/** `faults`: what the format does not support, each with what it supports instead. */
export function encodingUnsupported(faults: readonly string[]): MediaError {
  return new MediaError(
    'ENCODING_UNSUPPORTED',
    `The source cannot be encoded as asked: ${faults.join('; ')}.`,
  );
}

/** `tracks`: a list of those that exist. */
export function noSuchTrack(asked: number | string, tracks: string): MediaError {
  return new MediaError('NO_SUCH_TRACK', `The source has no audio track ${asked}. It has: ${tracks}.`);
}
