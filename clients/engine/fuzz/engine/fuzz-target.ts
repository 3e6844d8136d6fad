import type { Grammar } from '../grammars/grammar.ts';

/** A walker or parser, with what it takes to feed it. */
export interface FuzzTarget {
  readonly name: string;
  readonly grammar: Grammar;
  /** Valid cases to begin with. */
  seeds(): readonly Buffer[];
  /**
   * Runs one case in an empty folder that it leaves empty. Resolves when the engine did what it promises, be it
   * a refusal; throws what the engine threw otherwise, or a BrokenPromiseError.
   */
  run(input: Buffer, workDir: string): Promise<void>;
}

/** The engine finished without complaint, and what it handed out is wrong. */
export class BrokenPromiseError extends Error {
  override readonly name = 'BrokenPromiseError';
}

export function assertHolds(condition: boolean, promise: string): void {
  if (!condition) throw new BrokenPromiseError(promise);
}
