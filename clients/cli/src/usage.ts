/** A mistake in how the command was called; its message is one line that says what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
