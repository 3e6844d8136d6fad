import type { Grammar } from '../grammars/grammar.ts';

/** A walker or parser, and the code that runs it. */
export interface FuzzTarget {
  readonly name: string;
  readonly grammar: Grammar;
  /** Valid cases to begin with. */
  seeds(): readonly Buffer[];
  /**
   * Runs one case in an empty folder and leaves it empty. Resolves if the engine behaved as its interface
   * promises, which includes refusals. Otherwise throws the engine's error, or a BrokenPromiseError.
   */
  run(input: Buffer, workDir: string): Promise<void>;
}

/** The engine finished without an error, but its output is wrong. */
export class BrokenPromiseError extends Error {
  override readonly name = 'BrokenPromiseError';
}

export function assertHolds(condition: boolean, promise: string): void {
  if (!condition) throw new BrokenPromiseError(promise);
}
