/**
 * Proves that the invariants detect broken code: each flaw must violate one of its own invariants, and its
 * seed must reproduce the violation.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Flaw } from '../faults/flaws.ts';
import type { SeedReport } from './run-seed.ts';

/**
 * `fence ignored` is left out, because it takes a few dozen seeds: npm run verify -- simulate --flaw 'fence
 * ignored'.
 */
const INVARIANTS: Readonly<Record<Exclude<Flaw, 'fence ignored'>, readonly string[]>> = {
  'accepted job lost': ['no accepted job is lost'],
  'answers not kept': ['a repeated creation makes one job'],
  'attempts counted twice': ['no job has more than its attempts', 'no part has more than its attempts'],
  'fence not raised': ['each attempt has a fence of its own'],
  'cap ignored': ['the cap is never exceeded'],
  'newest offered first': ['order per account is kept'],
  'counters left behind': ['counters are exact'],
  'completion not published': ['every completed job is counted'],
  'upload skipped': ['no segment row is without its object'],
  'last segment left out': ['a completed job has all its segments'],
  'leftovers not scheduled for deletion': ['nothing is stored without an owner'],
  'redelivery counted again': ['usage is counted once, of what was done'],
  'limits survive a purge': ['a purge leaves nothing'],
  'charge repeated': ['every charge is known'],
  'parts outlive their job': ['parts are there while their job is done in parts'],
};
export type ProvenFlaw = keyof typeof INVARIANTS;
export const PROVEN_FLAWS = Object.keys(INVARIANTS) as readonly ProvenFlaw[];

const MAX_SEEDS = 40;

/** `text` is printed to the terminal. */
export async function proveFlaw(flaw: ProvenFlaw, run: (seed: number) => Promise<SeedReport>) {
  for (let seed = 1; seed <= MAX_SEEDS; seed++) {
    const first = await run(seed);
    if (first.failure === undefined) continue;
    const problem = problemOf(flaw, first, await run(seed));
    return problem === undefined
      ? { isFound: true, text: `flaw found: ${flaw}, by seed ${seed}: ${first.failure.invariant}\n` }
      : { isFound: false, text: `flaw missed: ${flaw}: seed ${seed}: ${problem}\n` };
  }
  return { isFound: false, text: `flaw missed: ${flaw}: no seed of ${MAX_SEEDS} fails\n` };
}

/** Why this proves nothing; undefined if it is a proof. */
function problemOf(flaw: ProvenFlaw, first: SeedReport, again: SeedReport): string | undefined {
  const { invariant, message } = first.failure ?? {};
  if (invariant === undefined || !INVARIANTS[flaw].includes(invariant))
    return `another invariant is broken: ${message}`;
  if (again.traceHash !== first.traceHash || !isDeepStrictEqual(again.failure, first.failure))
    return 'the seed takes another course the second time';
  return undefined;
}
