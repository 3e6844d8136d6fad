/**
 * A cut as requests have it, and as jobs keep it: every time as a number, rounded to the millisecond. A field that was not
 * given stays absent, also where it has a default.
 */
import { normalizeMembers } from '@audiosplit/cuts/normalize-cut';
import { CUT_FIELD_NAMES, type CutFields, type CutRequest, type SplitMode } from '@audiosplit/proto/cut';
import type { Static, TOptional } from 'typebox';
import type { CUT_FIELDS, CutField } from './cut-fields.ts';

export type RequestedCut = { readonly splitMode: SplitMode } & {
  readonly [F in CutField]?: Static<(typeof CUT_FIELDS)[F]> | undefined;
};
export type OptionalCutFields = { [F in CutField]: TOptional<(typeof CUT_FIELDS)[F]> };

/** Of a body that the schema has accepted. Its fields may still contradict one another; those of no cut are left out. */
export function normalizeCut(body: RequestedCut): CutFields & CutRequest {
  const fields = CUT_FIELD_NAMES.map((name) => [name, body[name as CutField]]);
  return { splitMode: body.splitMode, ...normalizeMembers(Object.fromEntries(fields)) } as CutFields &
    CutRequest;
}
