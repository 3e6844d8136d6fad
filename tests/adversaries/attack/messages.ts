import type { Target } from '../target.ts';

/** Messages from the run to the process of an attack. */
export type ToAttack =
  | { readonly kind: 'play'; readonly name: string; readonly target: Target }
  | { readonly kind: 'stop' };

/** Messages back to the run. */
export type FromAttack =
  | { readonly kind: 'playing' }
  | { readonly kind: 'stopped'; readonly got: string }
  | { readonly kind: 'failed'; readonly message: string };
