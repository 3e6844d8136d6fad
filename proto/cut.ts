/** A cut as plain fields, with the names and in the order of the API. */
import { type Cut, CutSchema } from '@audiosplit/proto/jobs/v1/cut';
import { fromJson, type JsonObject, type JsonValue, toJson } from '@bufbuild/protobuf';

export type { Cut };
export type SplitMode = NonNullable<Cut['mode']['case']>;

export interface CutFields {
  readonly splitMode: SplitMode;
  readonly [field: string]: JsonValue;
}

const MODES = CutSchema.oneofs.flatMap(({ fields }) => fields);

/** Each field of any mode once. */
export const CUT_FIELD_NAMES: readonly string[] = [
  ...new Set(MODES.flatMap(({ message }) => message?.fields ?? []).map(({ jsonName }) => jsonName)),
];

/** Undefined where the mode is of a newer version. */
export function toCutFields(cut: Cut | undefined): CutFields | undefined {
  const splitMode = cut?.mode.case;
  if (cut === undefined || splitMode === undefined) return undefined;
  const { [splitMode]: fields } = toJson(CutSchema, cut) as Record<SplitMode, JsonObject>;
  return { splitMode, ...fields };
}

/** Throws where the mode has no such field. */
export function fromCutFields({ splitMode, ...fields }: CutFields): Cut {
  return fromJson(CutSchema, { [splitMode]: fields });
}
