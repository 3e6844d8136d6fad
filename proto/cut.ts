/** A cut as plain fields, with the names and in the order of the API. */
import type { CutRequest, SplitMode } from '@audiosplit/cuts/cut-request';
import { type Cut, CutSchema } from '@audiosplit/proto/jobs/v1/cut';
import { fromJson, type JsonObject, type JsonValue, toJson } from '@bufbuild/protobuf';

export * from '@audiosplit/cuts/cut-request';
export type { Cut };

export interface CutFields {
  readonly splitMode: SplitMode;
  readonly [field: string]: JsonValue;
}

const MODES = CutSchema.oneofs.flatMap(({ fields }) => fields);
const OPTIONS = CutSchema.fields.filter(({ oneof }) => oneof === undefined);

/** Each field of any mode, and each that goes with every mode, once. */
export const CUT_FIELD_NAMES: readonly string[] = [
  ...new Set(
    [...MODES.flatMap(({ message }) => message?.fields ?? []), ...OPTIONS].map(({ jsonName }) => jsonName),
  ),
];

const OPTION_NAMES = new Set(OPTIONS.map(({ jsonName }) => jsonName));

/** Undefined where the mode is of a newer version. */
export function toCutFields(cut: Cut | undefined): CutFields | undefined {
  const splitMode = cut?.mode.case;
  if (cut === undefined || splitMode === undefined) return undefined;
  const { [splitMode]: fields, ...options } = toJson(CutSchema, cut) as JsonObject;
  return { splitMode, ...(fields as JsonObject), ...options };
}

/** Throws where the mode has no such field. */
export function fromCutFields({ splitMode, ...given }: CutFields): Cut {
  const mode = MODES.find(({ localName }) => localName === splitMode);
  const ownNames = new Set(mode?.message?.fields.map(({ jsonName }) => jsonName));
  const fields: JsonObject = {};
  const options: JsonObject = {};
  for (const [name, value] of Object.entries(given)) {
    if (OPTION_NAMES.has(name) && !ownNames.has(name)) options[name] = value;
    else fields[name] = value;
  }
  return fromJson(CutSchema, { [splitMode]: fields, ...options });
}

/** Undefined where the mode is of a newer version. */
export function toCutRequest(cut: Cut | undefined): CutRequest | undefined {
  return toCutFields(cut) as CutRequest | undefined;
}
