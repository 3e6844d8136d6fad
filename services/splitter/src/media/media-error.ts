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
