/** What is typed in the form of a split, and the request that it makes. */
import type { OutputFormat } from '@audiosplit/proto/vocabulary';
import type { Cut, SplitMode, SplitRequest } from './cut.ts';
import {
  type CutOptions,
  isGiven,
  SWITCH_OPTION_NAMES,
  SWITCH_OPTIONS,
  TEXT_OPTION_NAMES,
  TEXT_OPTIONS,
  type TextOption,
} from './cut-options.ts';
import { SPLIT_MODES } from './split-modes.ts';
import { type UnshownFields, withUnshownFields } from './unshown-fields.ts';

/** The fields as typed. */
export interface SplitFields {
  readonly mode: SplitMode;
  /** Of the modes that were changed. */
  readonly texts: Readonly<Partial<Record<SplitMode, string>>>;
  readonly options: CutOptions;
  readonly format: OutputFormat | '';
  /** Of the job or the preset that the others come from. */
  readonly unshown: UnshownFields;
}

export interface ReadFields {
  /** Undefined if something is wrong or missing. */
  readonly request: SplitRequest | undefined;
  readonly modeProblem: string | undefined;
  readonly optionProblems: Readonly<Partial<Record<TextOption, string>>>;
  /** How many of the options are in effect. */
  readonly optionCount: number;
}

export const DEFAULT_FIELDS: SplitFields = {
  mode: 'duration',
  texts: {},
  options: {},
  format: '',
  unshown: {},
};

export function readFields(fields: SplitFields): ReadFields {
  const { mode, options, format, unshown } = fields;
  const parsed = SPLIT_MODES[mode].parse(textOf(fields));
  let cut: Cut = parsed.value ?? { splitMode: mode };
  const optionProblems: Partial<Record<TextOption, string>> = {};
  const given = TEXT_OPTION_NAMES.filter(
    (name) => isGiven(options, name) && TEXT_OPTIONS[name].goesWith(mode, options),
  );
  for (const name of given) {
    const { value, problem } = TEXT_OPTIONS[name].parse(options[name] ?? '', cut);
    if (problem === undefined) cut = { ...cut, ...value };
    else optionProblems[name] = problem;
  }
  const switchedOn = SWITCH_OPTION_NAMES.filter((name) => options[name] === true);
  for (const name of switchedOn) cut = { ...cut, ...SWITCH_OPTIONS[name].fields };
  cut = withUnshownFields(cut, unshown);
  const isValid = parsed.problem === undefined && Object.keys(optionProblems).length === 0;
  return {
    request: isValid ? { cut, format: format === '' ? undefined : format } : undefined,
    modeProblem: parsed.problem === '' ? undefined : parsed.problem,
    optionProblems,
    optionCount: given.length + switchedOn.length,
  };
}

/** The body of the call that creates the job, but for its source. */
export function toBody({ cut, format }: SplitRequest) {
  return { ...cut, ...(format === undefined ? {} : { outputFormat: format }) };
}

export function textOf({ mode, texts }: SplitFields): string {
  return texts[mode] ?? SPLIT_MODES[mode].defaultText;
}
