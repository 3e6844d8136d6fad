/**
 * The fields of a cut: the shape, bounds and description of each. `@audiosplit/cuts/mode-fields` lists the
 * fields that each mode needs and takes. The schemas of responses are made from these. They differ in two
 * ways: times are numbers only, and bounds are left out.
 */
import { type TProperties, type TSchema, Type } from 'typebox';
import { CLOSED } from './fields.ts';
import { PATTERNS } from './patterns.ts';

export const MAX_TITLE_CHARACTERS = 500;
const MAX_POSITION_SECONDS = 1_000_000;
/** The maximum length of each list of positions. */
export const MAX_ITEMS = { chapters: 9_999, ranges: 1_000, splitPoints: 9_999 } as const;

/** A position in the source. */
const time = (description: string) =>
  Type.Unsafe<number | string>({
    type: ['number', 'string'],
    minimum: 0,
    maximum: MAX_POSITION_SECONDS,
    pattern: PATTERNS.time,
    description: `${description}: seconds, or a time as \`[H:]M:SS[.mmm]\`, to the millisecond.`,
  });

const length = (minimum: number, maximum: number, description: string) =>
  Type.Number({ minimum, maximum, description: `Seconds. ${description}.` });

const threshold = Type.Unsafe<number | string>({
  type: ['number', 'string'],
  minimum: -90,
  maximum: -10,
  pattern: PATTERNS.silenceThreshold,
  description: 'What is below it is silent: dBFS of the RMS over 20 ms. `auto` finds it from the sound.',
});

const title = Type.String({ maxLength: MAX_TITLE_CHARACTERS, description: 'Title of the segment.' });
const foreignText = Type.String({ maxLength: 2_048, description: 'Accepted without effect.' });

const shape = <P extends TProperties>(properties: P, options: { readonly [keyword: string]: unknown }) =>
  Type.Object(properties, { ...CLOSED, ...options });

export const CUT_FIELDS = {
  segmentDuration: Type.Integer({ minimum: 1, maximum: 86_400, description: 'Seconds per segment' }),
  maxFileSize: Type.Integer({
    minimum: 65_536,
    maximum: 2_147_483_648,
    description: 'Most bytes of a segment, headers, tags and overlap included',
  }),
  silence: shape(
    {
      threshold: Type.Optional(threshold),
      minSilence: Type.Optional(length(0.1, 60, 'Shorter silences make no cut; .5 by default')),
      minDuration: Type.Optional(length(0, 3_600, 'A shorter piece is joined to the next; 1 by default')),
      keepSilence: Type.Optional(
        length(0, 10, 'Drops silences, but for so much at each edge; by default nothing is dropped'),
      ),
    },
    { description: 'What counts as a silence between segments' },
  ),
  chapters: Type.Array(
    shape(
      {
        startTime: time('Where the chapter begins'),
        title: Type.Optional(title),
        toc: Type.Optional(Type.Boolean({ description: 'Where false, the chapter makes no cut.' })),
        endTime: Type.Optional(time('Accepted without effect')),
        img: Type.Optional(foreignText),
        url: Type.Optional(foreignText),
        location: Type.Optional(
          Type.Unsafe<Record<string, string>>({
            type: 'object',
            additionalProperties: { type: 'string', maxLength: 2_048 },
            maxProperties: 20,
            description: 'Accepted without effect.',
          }),
        ),
      },
      { description: 'A chapter, as Podcasting 2.0 has it.' },
    ),
    {
      minItems: 1,
      maxItems: MAX_ITEMS.chapters,
      description: "Chapters in ascending order, in place of the source's own",
    },
  ),
  ranges: Type.Array(
    shape(
      {
        start: time('Where the range begins'),
        end: Type.Optional(time('Where it ends; without it at the end of the source')),
        title: Type.Optional(title),
      },
      { description: 'A range of the source.' },
    ),
    {
      minItems: 1,
      maxItems: MAX_ITEMS.ranges,
      description: 'One segment each, in this order; they may overlap and leave gaps. Or give `splitPoints`',
    },
  ),
  splitPoints: Type.Array(time('A point to cut at'), {
    minItems: 1,
    maxItems: MAX_ITEMS.splitPoints,
    description: 'Where to cut, in strictly ascending order and above 0. Or give `ranges`',
  }),
  parts: Type.Integer({ minimum: 2, maximum: 1_000, description: 'Number of segments of equal length' }),
  maxDuration: length(1, 86_400, 'No segment is longer'),
  snapToSilence: shape(
    {
      window: length(0.1, 60, 'A cut moves backward by at most this'),
      threshold: Type.Optional(threshold),
      minSilence: Type.Optional(
        length(0.1, 60, 'Shorter silences do not count; at most `window`, by default .2 or `window`'),
      ),
    },
    { description: 'Moves cuts back to a silence or the quietest spot' },
  ),
  overlap: length(0, 30, 'Every segment but the first begins that much before its cut'),
  trim: shape(
    {
      start: Type.Optional(time('What lies before it is left out')),
      end: Type.Optional(time('What lies behind it is left out')),
    },
    { minProperties: 1, description: 'The stretch of the source that is split' },
  ),
  audioTrack: Type.Unsafe<number | string>({
    type: ['integer', 'string'],
    minimum: 0,
    maximum: 2_147_483_647,
    pattern: PATTERNS.language,
    description: 'Which audio track: an index from 0, or a language code of ISO 639. By default the first',
  }),
  encoding: shape(
    {
      sampleRate: Type.Optional(Type.Integer({ minimum: 1_000, maximum: 192_000, description: 'Hz.' })),
      channels: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 2, description: '1 is mono, 2 is stereo.' }),
      ),
      bitrate: Type.Optional(
        Type.Integer({
          minimum: 8_000,
          maximum: 512_000,
          description:
            'Bits a second; mp3, aac and ogg only. All limit it by the sample rate, aac and ogg by the channels too.',
        }),
      ),
      bitDepth: Type.Optional(
        Type.Unsafe<number>({
          type: 'integer',
          enum: [16, 24],
          description: 'Bits a sample; wav and flac only.',
        }),
      ),
      loudness: Type.Optional(
        shape(
          { target: Type.Number({ minimum: -31, maximum: -9, description: 'LUFS.' }) },
          { description: 'Normalises the loudness by EBU R 128, with one gain for all segments.' },
        ),
      ),
      md5: Type.Optional(
        Type.Boolean({
          description:
            'Writes the MD5 of its sound to each segment of copied flac, for which all of it is decoded; flac only. Encoded flac has it anyway.',
        }),
      ),
    },
    {
      minProperties: 1,
      description:
        'Encodes anew, in this way, unless only `md5` is given. What a format cannot do is refused',
    },
  ),
  preset: Type.Enum(['speech'], {
    type: 'string',
    description:
      '`speech`: mono, 16 kHz, and mp3 at 48 kbit/s unless `outputFormat` says another. Fields of `encoding` win',
  }),
  fileName: Type.String({
    minLength: 1,
    maxLength: 500,
    description:
      'Template of the file names, without the extension. Placeholders: `{name}`, `{index}`, `{number}`, `{count}`, ' +
      '`{title}`, `{start}`',
  }),
  dryRun: Type.Boolean({
    description: 'The same job without files: segments have times, names and sizes. It uses no quota',
  }),
};

export type CutField = keyof typeof CUT_FIELDS;
export const CUT_FIELD_NAMES = Object.keys(CUT_FIELDS) as CutField[];

/** Keywords that bound what a request may give. */
const BOUNDS = new Set([
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minProperties',
  'maxProperties',
  'pattern',
]);

/** Components of the API description, for fields of responses that are objects or lists of objects. */
const COMPONENT_NAMES: { readonly [F in CutField]?: string } = {
  silence: 'SilenceOptions',
  chapters: 'Chapter',
  ranges: 'Range',
  snapToSilence: 'SnapToSilence',
  trim: 'Trim',
  encoding: 'Encoding',
};

const components = new Map(
  Object.entries(COMPONENT_NAMES).map(([name, $id]) => {
    const schema: object = CUT_FIELDS[name as CutField];
    return [name, Type.Unsafe({ ...answerOf('items' in schema ? Object(schema.items) : schema), $id })];
  }),
);
export const CUT_COMPONENTS: readonly TSchema[] = [...components.values()];

/** The schema of the field in responses, with a description of its own. */
export function toAnswerSchema(name: CutField, description: string): TSchema {
  const component = components.get(name);
  if (component === undefined) return Type.Unsafe({ ...answerOf(CUT_FIELDS[name]), description });
  const reference = { $ref: `${String(Object(component).$id)}#` };
  // Beside a reference OpenAPI 3.1 takes a description; a list has its own.
  return Type.Unsafe(
    'items' in CUT_FIELDS[name]
      ? { type: 'array', items: reference, description }
      : { ...reference, description },
  );
}

function answerOf(schema: object): object {
  const { description = '', pattern }: { readonly description?: string; readonly pattern?: string } = schema;
  if (pattern === PATTERNS.time) {
    return { type: 'number', description: description.replace(/: seconds, or .*/, ', in seconds.') };
  }
  const kept = Object.entries(schema).filter(
    ([keyword, value]) => !BOUNDS.has(keyword) && !(keyword === 'additionalProperties' && value === false),
  );
  return Object.fromEntries(
    kept.map(([keyword, value]) => {
      if (keyword === 'items' || keyword === 'additionalProperties') return [keyword, answerOf(value)];
      if (keyword !== 'properties') return [keyword, value];
      return [
        keyword,
        Object.fromEntries(Object.entries<object>(value).map(([name, each]) => [name, answerOf(each)])),
      ];
    }),
  );
}
