/**
 * The modes of a split: which fields each needs, with their words, bounds and an example. The request's schema, its rules,
 * the views of a job and the mapping to the message Cut are made from this.
 */
import type { FieldViolation } from '@audiosplit/chassis/errors';
import { type CutFields, fromCutFields } from '@audiosplit/proto/cut';
import type { Cut } from '@audiosplit/proto/jobs/v1/cut';
import { type TNumberOptions, type TOptional, Type } from 'typebox';
import { oneOf } from './fields.ts';

const FIELDS = {
  segmentDuration: {
    meaning: 'Seconds per segment',
    toSchema: Type.Integer,
    bounds: { minimum: 1, maximum: 86_400 },
  },
  maxFileSize: {
    meaning: 'Most bytes of a segment',
    toSchema: Type.Integer,
    bounds: { minimum: 65_536, maximum: 2_147_483_648 },
  },
};
type Field = keyof typeof FIELDS;
type SplitMode = 'duration' | 'fileSize';

const NEEDED_FIELDS: Readonly<Record<SplitMode, readonly Field[]>> = {
  duration: ['segmentDuration'],
  fileSize: ['maxFileSize'],
};

export const CUT_EXAMPLE = { splitMode: 'duration', segmentDuration: 600 };

const MODES = Object.keys(NEEDED_FIELDS) as SplitMode[];
const splitMode = oneOf(MODES, 'Cut by length, or under a ceiling of bytes.');

type OptionalFields = { [F in Field]: TOptional<ReturnType<(typeof FIELDS)[F]['toSchema']>> };

function optionalFields(
  describe: (field: (typeof FIELDS)[Field], modes: string) => TNumberOptions,
): OptionalFields {
  return Object.fromEntries(
    Object.entries(FIELDS).map(([name, field]) => {
      const modes = MODES.filter((mode) => NEEDED_FIELDS[mode].includes(name as Field));
      const options = describe(field, modes.map((mode) => `\`${mode}\``).join(' or '));
      return [name, Type.Optional(field.toSchema(options))];
    }),
  ) as OptionalFields;
}

export const cutRequestFields = {
  splitMode,
  ...optionalFields(({ meaning, bounds }, modes) => ({
    ...bounds,
    description: `${meaning}. Required with splitMode ${modes}, refused otherwise.`,
  })),
};

/** Of every view of a job. */
export const cutFields = {
  splitMode,
  ...optionalFields(({ meaning }, modes) => ({ description: `${meaning}; mode ${modes}.` })),
};

type RequestedCut = { readonly splitMode: SplitMode } & { readonly [F in Field]?: number | undefined };

/** What `checkCut` refuses, as JSON Schema. */
export const CUT_RULES = {
  oneOf: MODES.map((mode) => {
    const needed = NEEDED_FIELDS[mode];
    return {
      title: `splitMode ${mode}`,
      type: 'object',
      properties: {
        splitMode: { const: mode },
        ...Object.fromEntries(needed.map((field) => [field, {}])),
        ...Object.fromEntries(foreignFields(mode).map((field) => [field, false])),
      },
      required: ['splitMode', ...needed],
    };
  }),
};

export function checkCut(cut: RequestedCut): FieldViolation[] {
  const mode = cut.splitMode;
  const isGiven = (field: Field) => cut[field] !== undefined;
  return [
    ...NEEDED_FIELDS[mode]
      .filter((field) => !isGiven(field))
      .map((field) => ({ field, message: `is required with splitMode ${mode}` })),
    ...foreignFields(mode)
      .filter(isGiven)
      .map((field) => ({ field, message: `does not go with splitMode ${mode}` })),
  ];
}

function foreignFields(mode: SplitMode): Field[] {
  return (Object.keys(FIELDS) as Field[]).filter((field) => !NEEDED_FIELDS[mode].includes(field));
}

/** To be called after `checkCut`. */
export function toProtoCut(cut: RequestedCut): Cut {
  const needed = NEEDED_FIELDS[cut.splitMode].map((field) => [field, cut[field]]);
  return fromCutFields({ splitMode: cut.splitMode, ...Object.fromEntries(needed) } as CutFields);
}
