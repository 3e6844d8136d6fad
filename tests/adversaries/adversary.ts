/** A caller that makes the product work, wait or store to no purpose. */
import type { Target } from './target.ts';

export interface Adversary {
  /** The name for --only. */
  readonly name: string;
  readonly title: string;
  /** The setting or rule that limits it, as docs/limits.md names it. */
  readonly bound: string;
  /** Resolves once the attack is at its full strength. */
  readonly play: (target: Target) => Promise<Attack>;
}

export interface Attack {
  /**
   * Ends it, and cancels its remaining jobs. Resolves with what it achieved, for the report; rejects if that
   * is more than it may.
   */
  readonly stop: () => Promise<string>;
}
