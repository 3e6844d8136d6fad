/** A call that cannot succeed as it is. The message says what to change, and is all that the agent gets. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}
