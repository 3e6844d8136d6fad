/**
 * The types of a cut in a request, and its conversion to the form in which jobs store it: every time is a
 * number, rounded to the millisecond. A field that was not given stays absent, even if it has a default.
 */
import { normalizeMembers } from '@audiosplit/cuts/normalize-cut';
import { CUT_FIELD_NAMES, type CutFields, type CutRequest, type SplitMode } from '@audiosplit/proto/cut';
import type { Static, TOptional } from 'typebox';
import type { CUT_FIELDS, CutField } from './cut-fields.ts';

export type RequestedCut = { readonly splitMode: SplitMode } & {
  readonly [F in CutField]?: Static<(typeof CUT_FIELDS)[F]> | undefined;
};
export type OptionalCutFields = { [F in CutField]: TOptional<(typeof CUT_FIELDS)[F]> };

/** For a body that the schema has accepted. Leaves out all fields that do not belong to a cut. */
export function normalizeCut(body: RequestedCut): CutFields & CutRequest {
  const fields = CUT_FIELD_NAMES.map((name) => [name, body[name as CutField]]);
  return { splitMode: body.splitMode, ...normalizeMembers(Object.fromEntries(fields)) } as CutFields &
    CutRequest;
}
