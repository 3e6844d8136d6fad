/** All options of a cut in one table: the arguments, the request, the help and the words of a refusal are made from it. */
import type { SplitRequest } from '@audiosplit/client';
import { cutForSpeech, type SpeechServiceId } from '@audiosplit/cuts/speech-services';
import { UsageError } from '../usage.ts';
import type { CutOption, ReadContext } from './cut-option.ts';
import { checkCutRules } from './cut-rules.ts';
import { MODE_OPTIONS, type ModeOption } from './mode-options.ts';
import {
  CAP_OPTIONS,
  ENCODING_OPTIONS,
  OUTPUT_OPTIONS,
  SILENCE_OPTIONS,
  SOURCE_OPTIONS,
} from './shape-options.ts';

export type Cut = Omit<
  SplitRequest,
  'sourceUrl' | 'sourceHeaders' | 'outputFormat' | 'destination' | 'keepCopy' | 'webhookUrl' | 'metadata'
>;

/** In the order of the help. */
const GROUPS = {
  'Where to cut, one of these, or --max-size or --for alone': MODE_OPTIONS,
  'Limits and overlap, beside any of these': CAP_OPTIONS,
  Silences: SILENCE_OPTIONS,
  'What of the source': SOURCE_OPTIONS,
  'How it is encoded': ENCODING_OPTIONS,
  'What is written': OUTPUT_OPTIONS,
} as const;

type Group = keyof typeof GROUPS;

const TABLE: Readonly<Record<string, CutOption>> = Object.assign({}, ...Object.values(GROUPS));

/** For `parseArgs`. */
export const CUT_ARGUMENTS: Readonly<Record<string, { readonly type: 'string' | 'boolean' }>> =
  Object.fromEntries(
    Object.entries(TABLE).map(([name, { value }]) => [
      name,
      { type: value === undefined ? 'boolean' : 'string' },
    ]),
  );

/** Of the option, as it was given; true where a flag was. */
export type Given = Readonly<Record<string, string | boolean | undefined>>;

/** Throws UsageError, also where options contradict one another. */
export function readCut(options: Given, context: ReadContext): Cut {
  const given = Object.fromEntries(
    Object.entries(options).map(([name, value]) => [TABLE[name]?.sameAs ?? name, value]),
  );
  const names = Object.keys(TABLE).filter((name) => given[name] !== undefined && given[name] !== false);
  const splitMode = modeOf(names);
  checkNeighbours(names);
  const service = names.includes('for')
    ? (readValue('for', given.for, context) as SpeechServiceId)
    : undefined;
  // Whatever is given besides goes before it.
  const request: Record<string, unknown> = {
    ...(service === undefined ? {} : cutForSpeech(service)),
    splitMode,
  };
  const values: Record<string, unknown> = {};
  for (const name of names) {
    const value = readValue(name, given[name], context);
    values[name] = value;
    const field = fieldOf(name, names);
    if (field !== undefined) setField(request, field.split('.'), value);
  }
  checkCutRules(values);
  return request as Cut;
}

/** `--snap` for `snapToSilence.window`, `--ranges` for `ranges[1].end`; undefined where no option sets the field. */
export function optionFor(path: string): string | undefined {
  const fields = Object.entries(TABLE).flatMap(([name, { field }]) =>
    (typeof field === 'object' ? Object.values(field) : [field ?? '']).map((each) => [name, each] as const),
  );
  const [name] =
    fields.find(([, field]) => field !== '' && isWithin(path, field)) ??
    fields.find(([, field]) => isWithin(field, path)) ??
    [];
  return name === undefined ? undefined : `--${name}`;
}

function isWithin(path: string, field: string): boolean {
  return path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`);
}

function modeOf(names: readonly string[]): SplitRequest['splitMode'] {
  const modes = Object.entries<ModeOption>(MODE_OPTIONS).filter(([name]) => names.includes(name));
  const [first, second] = modes;
  if (second !== undefined) {
    throw new UsageError(
      `${listOf(modes.map(([name]) => name))} exclude one another: keep one of them, and cap it by --max-duration or --max-size`,
    );
  }
  if (first !== undefined) return first[1].mode;
  if (names.includes('max-size') || names.includes('for')) return 'fileSize';
  throw new UsageError(
    'say how to cut, such as --every 60, --silence, --chapters or --max-size 25MB; behind npm run split, after a -- of its own',
  );
}

function checkNeighbours(names: readonly string[]): void {
  for (const name of names) {
    const { field, excludes = [] } = TABLE[name] as CutOption;
    const other = excludes.find((each) => names.includes(each));
    if (other !== undefined)
      throw new UsageError(`--${name} does not go with --${other}: leave one of them out`);
    if (typeof field === 'object' && fieldOf(name, names) === undefined) {
      throw new UsageError(`--${name} goes with ${listOf(Object.keys(field), ' or ')}: add it`);
    }
  }
}

function fieldOf(name: string, names: readonly string[]): string | undefined {
  const field = TABLE[name]?.field;
  if (typeof field !== 'object') return field;
  return Object.entries(field).find(([option]) => names.includes(option))?.[1];
}

function readValue(name: string, given: string | boolean | undefined, context: ReadContext): unknown {
  const { parse, expected } = TABLE[name] as CutOption;
  const text = typeof given === 'string' ? given : '';
  const value = parse(text, context);
  if (value === undefined) throw new UsageError(`--${name} ${text}: give ${expected}`);
  return value;
}

function setField(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name = '', ...inner] = path;
  if (inner.length === 0) {
    target[name] = value;
    return;
  }
  target[name] ??= {};
  setField(target[name] as Record<string, unknown>, inner, value);
}

function listOf(names: readonly string[], joint = ' and '): string {
  return names.map((name) => `--${name}`).join(joint);
}

const COLUMN = 25;

/** A line an option, indented. */
function helpOf(group: Group): string {
  return Object.entries<CutOption>(GROUPS[group])
    .map(([name, { value, help }]) => {
      const option = value === undefined ? `--${name}` : `--${name} ${value}`;
      return `  ${option.padEnd(COLUMN - 2)}${help}`;
    })
    .join('\n');
}

export const CUT_HELP = (Object.keys(GROUPS) as Group[])
  .map((group) => `${group}:\n${helpOf(group)}`)
  .join('\n\n');
