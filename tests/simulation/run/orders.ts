/** Messages between the command and its worker processes. */
import type { Flaw } from '../faults/flaws.ts';
import type { FlawReport, ProvenFlaw } from './broken-code.ts';
import type { Totals } from './report.ts';

export interface SeedOrder {
  readonly kind: 'seed';
  readonly seed: number;
  readonly steps: number;
  readonly flaw: Flaw | undefined;
}

export type Order = SeedOrder | { readonly kind: 'flaw'; readonly flaw: ProvenFlaw };

/** Sent after each order, and once at the start to ask for the first. */
export type Answer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'seed'; readonly totals: Totals }
  | { readonly kind: 'flaw'; readonly report: FlawReport };
