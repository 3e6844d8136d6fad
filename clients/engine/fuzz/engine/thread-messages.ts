/** What the supervisor and its thread exchange. */
import type { Finding } from './finding.ts';
import type { RunCounts } from './running-case.ts';

export interface FuzzTask {
  readonly targetName: string;
  readonly executions: number;
  readonly seed: number;
}

export interface ThreadData {
  readonly tasks: readonly FuzzTask[];
  readonly workDir: string;
  readonly targetsUrl: string;
  readonly shared: SharedArrayBuffer;
}

export type ThreadMessage =
  | { readonly kind: 'finding'; readonly finding: Finding }
  | { readonly kind: 'task-done'; readonly targetName: string; readonly counts: RunCounts }
  | { readonly kind: 'done' };
