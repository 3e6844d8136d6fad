/**
 * The cut in requests and responses: its schemas with an example of each mode, its validation, and its
 * mapping to the message Cut. `cut-fields.ts` has the schema of each field. `@audiosplit/cuts/mode-fields`
 * lists the fields that each mode needs and takes.
 */
import type { FieldViolation } from '@audiosplit/chassis/errors';
import { checkCutRules } from '@audiosplit/cuts/cut-rules';
import { checkModeFields, MODE_FIELDS, SPLIT_MODES, takesField } from '@audiosplit/cuts/mode-fields';
import { fromCutFields, type SplitMode } from '@audiosplit/proto/cut';
import type { Cut } from '@audiosplit/proto/jobs/v1/cut';
import type { OutputFormat } from '@audiosplit/proto/vocabulary';
import { Type } from 'typebox';
import { CUT_FIELD_NAMES, CUT_FIELDS, type CutField, toAnswerSchema } from './cut-fields.ts';
import { normalizeCut, type OptionalCutFields, type RequestedCut } from './cut-request.ts';
import { oneOf } from './fields.ts';

const EXAMPLES: Readonly<Record<SplitMode, { readonly [F in CutField]?: RequestedCut[F] }>> = {
  duration: { segmentDuration: 600 },
  fileSize: { maxFileSize: 26_214_400, snapToSilence: { window: 10 }, overlap: 1 },
  silence: { silence: { threshold: 'auto', minSilence: 0.7, minDuration: 5 }, maxDuration: 900 },
  chapters: {
    chapters: [
      { startTime: 0, title: 'Welcome' },
      { startTime: '12:30', title: 'The interview' },
    ],
    fileName: '{number} {title}',
  },
  ranges: { ranges: [{ start: '1:00', end: '2:30.500', title: 'Teaser' }, { start: 600 }] },
  parts: { parts: 4, trim: { start: 15 }, preset: 'speech' },
};

export const CUT_EXAMPLE = { splitMode: 'duration', segmentDuration: 600 };

/** Conditions for fields that every mode takes, but not with every request. */
const NOTES: { readonly [F in CutField]?: string } = {
  snapToSilence:
    'With splitMode `duration`, `fileSize` or `parts`, and with the others together with `maxDuration` or `maxFileSize`.',
};

/** An example for each mode. */
export const CUT_EXAMPLES = SPLIT_MODES.map((splitMode) => ({ splitMode, ...EXAMPLES[splitMode] }));

const splitMode = oneOf(
  SPLIT_MODES,
  'Cut by length, under a ceiling of bytes, at silences, at chapters, at given places, or into equal parts.',
);

export const cutRequestFields = {
  splitMode,
  ...optionalFields((name, schema) => ({ ...schema, description: `${wordsOf(schema)}. ${useOf(name)}` })),
};

/** The fields of a cut in responses that contain the whole cut. */
export const cutFields = {
  splitMode,
  ...optionalFields((name, schema) => toAnswerSchema(name, `${wordsOf(schema)}; ${modesOf(name)}.`)),
};

const { segmentDuration, maxFileSize, parts, maxDuration, overlap, audioTrack: _track } = cutFields;

/** The fields of a cut in rows of lists and in notifications: numbers only. */
export const cutRowFields = {
  splitMode,
  segmentDuration,
  maxFileSize,
  parts,
  maxDuration,
  overlap,
  audioTrack: Type.Optional(
    Type.Integer({
      description: `The audio track, where it was given as an index; ${modesOf('audioTrack')}.`,
    }),
  ),
};

function optionalFields(change: (name: CutField, schema: object) => object): OptionalCutFields {
  return Object.fromEntries(
    CUT_FIELD_NAMES.map((name) => [name, Type.Optional(Type.Unsafe(change(name, CUT_FIELDS[name])))]),
  ) as unknown as OptionalCutFields;
}

function wordsOf(schema: { readonly description?: string }): string {
  return (schema.description ?? '').replace(/\.$/, '');
}

/** Says with which modes the field is required, and with which it is allowed. */
function useOf(name: CutField): string {
  const needing = SPLIT_MODES.filter((mode) => MODE_FIELDS[mode].needs.includes(name));
  const taking = SPLIT_MODES.filter((mode) => takesField(mode, name));
  const isNeededAlone = needing.length === taking.length;
  if (isNeededAlone) return `Required with splitMode ${listOf(needing)}, refused otherwise.`;
  const needed = needing.length === 0 ? '' : `Required with splitMode ${listOf(needing)}. `;
  if (taking.length === SPLIT_MODES.length) return `${needed}${NOTES[name] ?? 'With every splitMode.'}`;
  return `${needed}Only with splitMode ${listOf(taking)}.`;
}

function modesOf(name: CutField): string {
  const taking = SPLIT_MODES.filter((mode) => takesField(mode, name));
  return taking.length === SPLIT_MODES.length ? 'every mode' : `mode ${listOf(taking)}`;
}

function listOf(modes: readonly SplitMode[]): string {
  return modes.map((mode) => `\`${mode}\``).join(' or ');
}

function foreignFields(mode: SplitMode): CutField[] {
  return CUT_FIELD_NAMES.filter((field) => !takesField(mode, field));
}

/** The fields that each mode needs and takes, as JSON Schema. `checkCut` applies the same rules. */
export const CUT_RULES = {
  oneOf: SPLIT_MODES.map((mode) => {
    const { needs } = MODE_FIELDS[mode];
    return {
      title: `splitMode ${mode}`,
      type: 'object',
      properties: {
        splitMode: { const: mode },
        ...Object.fromEntries(needs.map((field) => [field, {}])),
        ...Object.fromEntries(foreignFields(mode).map((field) => [field, false])),
      },
      required: ['splitMode', ...needs],
    };
  }),
};

/** Lists have up to 9,999 entries. A response that named each would be many times as long as the request. */
const MAX_VIOLATIONS = 100;

/** The violations that can be found without the source, except those of the schema. */
export function checkCut(cut: RequestedCut, outputFormat: OutputFormat | undefined): FieldViolation[] {
  const mode = cut.splitMode;
  const violations = checkModeFields(mode, CUT_FIELD_NAMES, (field) => cut[field] !== undefined);
  return [...violations, ...checkCutRules(ownCut(cut), outputFormat)].slice(0, MAX_VIOLATIONS);
}

/** To be called after `checkCut`. */
export function toProtoCut(cut: RequestedCut): Cut {
  return fromCutFields(ownCut(cut));
}

/** The cut with only those fields that its mode takes. */
function ownCut(cut: RequestedCut): ReturnType<typeof normalizeCut> {
  const mode = cut.splitMode;
  const own = CUT_FIELD_NAMES.filter((field) => takesField(mode, field)).map((field) => [field, cut[field]]);
  return normalizeCut({ splitMode: mode, ...Object.fromEntries(own) });
}
