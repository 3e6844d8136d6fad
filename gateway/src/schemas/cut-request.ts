/**
 * A cut as requests have it, and as jobs keep it: every time as a number, rounded to the millisecond. A field that was not
 * given stays absent, also where it has a default.
 */
import { CUT_FIELD_NAMES, type CutFields, type CutRequest, type SplitMode } from '@audiosplit/proto/cut';
import type { Static, TOptional } from 'typebox';
import type { CUT_FIELDS, CutField } from './cut-fields.ts';
import { roundToMs, toSeconds } from './cut-times.ts';

export type RequestedCut = { readonly splitMode: SplitMode } & {
  readonly [F in CutField]?: Static<(typeof CUT_FIELDS)[F]> | undefined;
};
export type OptionalCutFields = { [F in CutField]: TOptional<(typeof CUT_FIELDS)[F]> };

/** Positions anywhere in a cut. */
const POSITIONS = new Set(['start', 'end', 'startTime', 'endTime', 'splitPoints']);
const LENGTHS = new Set(['maxDuration', 'window', 'minSilence', 'minDuration', 'keepSilence', 'overlap']);

/** Of a body that the schema has accepted. Its fields may still contradict one another; those of no cut are left out. */
export function normalizeCut(body: RequestedCut): CutFields & CutRequest {
  const fields = CUT_FIELD_NAMES.map((name) => [name, body[name as CutField]]);
  return { splitMode: body.splitMode, ...normalizeMembers(Object.fromEntries(fields)) } as CutFields &
    CutRequest;
}

function normalizeMembers(members: object): object {
  return Object.fromEntries(
    Object.entries(members)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, normalize(name, value)]),
  );
}

function normalize(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => normalize(name, each));
  // Its members are the caller's.
  if (name === 'location') return value;
  if (typeof value === 'object' && value !== null) return normalizeMembers(value);
  if (POSITIONS.has(name)) return toSeconds(value as number | string);
  return LENGTHS.has(name) ? roundToMs(value as number) : value;
}
