import type { Audiosplit } from '@audiosplit/client';

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Of an object that has these and no others. */
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required: readonly string[];
  readonly readOnly: boolean;
  readonly destructive?: boolean;
  /** Throws AudiosplitError, ToolError. */
  readonly run: (args: Readonly<Record<string, unknown>>, context: ToolContext) => Promise<object>;
}

export interface ToolContext {
  /** Throws ToolError where no server is known. */
  readonly audiosplit: Audiosplit;
  /** Aborted when the agent gives the call up. */
  readonly signal: AbortSignal;
  readonly stopWaiting: AbortSignal;
  /** Per cent. */
  readonly reportProgress: (progress: number) => void;
}
