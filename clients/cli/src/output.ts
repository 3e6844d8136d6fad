import type { Terminal } from './progress/progress.ts';

/** Where a command writes. */
export interface Output {
  readonly stdout: Pick<Terminal, 'write'>;
  readonly stderr: Terminal;
}
