/** The job error codes of the public contract that the engine itself can end with. */
export type MediaFailure =
  | 'UNSUPPORTED_MEDIA'
  | 'SEGMENT_LIMIT_UNREACHABLE'
  | 'TOO_MANY_SEGMENTS'
  | 'QUOTA_EXCEEDED'
  | 'INTERNAL_ERROR';

/** The source cannot be split as asked. `message` is shown to the API's caller; `cause` is for the log. */
export class MediaError extends Error {
  override readonly name = 'MediaError';
  readonly failure: MediaFailure;
  constructor(failure: MediaFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }
}

export function segmentLimitUnreachable(content = 'a header and one frame of this source'): MediaError {
  const message = `The maximum file size is too small to hold ${content}.`;
  return new MediaError('SEGMENT_LIMIT_UNREACHABLE', message);
}

export function unsupportedMedia(message: string): MediaError {
  return new MediaError('UNSUPPORTED_MEDIA', message);
}
