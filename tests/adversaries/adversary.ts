/** A caller that makes the product work, wait or store for nothing. */
import type { Target } from './target.ts';

export interface Adversary {
  /** Of --only. */
  readonly name: string;
  readonly title: string;
  /** The setting or rule that holds it, as docs/limits.md names it. */
  readonly bound: string;
  /** Resolves once the attack is at its full strength. */
  readonly play: (target: Target) => Promise<Attack>;
}

export interface Attack {
  /**
   * Ends it, and cancels the jobs that it has left. Resolves with what it got, for the report; rejects where that is more
   * than it should have.
   */
  readonly stop: () => Promise<string>;
}
