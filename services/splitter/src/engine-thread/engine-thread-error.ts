/** How an engine thread ended although it was needed. */
export type ThreadEnd =
  /** It could not be started. */
  | 'start'
  /** Its event loop was blocked, or it continued to work long after an abort. */
  | 'hung'
  | 'out-of-memory'
  /** An uncaught exception, or an exit. */
  | 'crashed'
  /** The host closed it. */
  | 'closed';

/** The engine thread and its split have ended; `message` is for the log. The process is unharmed. */
export class EngineThreadError extends Error {
  override readonly name = 'EngineThreadError';
  readonly end: ThreadEnd;
  constructor(end: ThreadEnd, message: string, options?: ErrorOptions) {
    super(message, options);
    this.end = end;
  }
}
