/** The choices that go with a mode, under "More options": their words, and the fields of the cut that is typed there. */
import { checkFileNameTemplate } from '@audiosplit/cuts/file-name-template';
import { parseLengthWithin, parseTime } from '../format/typed-time.ts';
import type { Cut, Parsed, SplitMode } from './cut.ts';
import { LENGTH_PROBLEM, parseMegabytes, SIZE_PROBLEM, SPLIT_MODES } from './split-modes.ts';

export type TextOption =
  | 'maxDuration'
  | 'maxFileSize'
  | 'window'
  | 'overlap'
  | 'trimStart'
  | 'trimEnd'
  | 'fileName';
export type SwitchOption = 'isForSpeech' | 'isDryRun';

/** As typed; an empty text is not given. */
export type CutOptions = Readonly<Partial<Record<TextOption, string> & Record<SwitchOption, boolean>>>;

type Fields = Partial<Omit<Cut, 'splitMode'>>;

interface TextChoice {
  readonly label: string;
  readonly hint?: string;
  readonly placeholder?: string;
  readonly inputMode: 'text' | 'numeric' | 'decimal';
  /** Shares its row with a neighbour. */
  readonly isHalf: boolean;
  /** Otherwise it is neither shown nor sent. */
  readonly goesWith: (mode: SplitMode, options: CutOptions) => boolean;
  /** `before` is the cut with the choices above this one. */
  readonly parse: (text: string, before: Cut) => Parsed<Fields>;
}

interface SwitchChoice {
  readonly label: string;
  readonly hint: string;
  readonly fields: Fields;
}

const always = () => true;

export const TEXT_OPTIONS: Readonly<Record<TextOption, TextChoice>> = {
  maxDuration: {
    label: 'Never longer than',
    hint: 'As in 10:00 or 21.6.',
    inputMode: 'text',
    isHalf: true,
    goesWith: always,
    parse(text) {
      const maxDuration = parseTime(text) ?? 0;
      if (maxDuration < 1 || maxDuration > 86_400) return { problem: LENGTH_PROBLEM };
      return { value: { maxDuration } };
    },
  },
  maxFileSize: {
    label: 'Never larger than',
    hint: 'Megabytes.',
    inputMode: 'decimal',
    isHalf: true,
    goesWith: (mode) => mode !== 'fileSize',
    parse(text) {
      const maxFileSize = parseMegabytes(text);
      return maxFileSize === undefined ? { problem: SIZE_PROBLEM } : { value: { maxFileSize } };
    },
  },
  window: {
    label: 'Cut in a silence within',
    hint: 'In seconds. A cut moves back by at most this, to a silence or the quietest spot, so that words stay whole.',
    inputMode: 'decimal',
    isHalf: false,
    goesWith: (mode, options) =>
      SPLIT_MODES[mode].cutsByNumber || isGiven(options, 'maxDuration') || isGiven(options, 'maxFileSize'),
    parse(text) {
      const window = parseLengthWithin(text, 0.1, 60);
      if (window === undefined) return { problem: 'Give 0.1 to 60 seconds.' };
      return { value: { snapToSilence: { window } } };
    },
  },
  overlap: {
    label: 'Overlap',
    hint: 'In seconds. Each segment but the first starts this long before its cut.',
    inputMode: 'decimal',
    isHalf: false,
    goesWith: (mode) => SPLIT_MODES[mode].takes.overlap,
    parse(text, { segmentDuration = Number.POSITIVE_INFINITY, maxDuration = Number.POSITIVE_INFINITY }) {
      const overlap = parseLengthWithin(text, 0, 30);
      if (overlap === undefined) return { problem: 'Give 0 to 30 seconds.' };
      if (overlap < Math.min(segmentDuration, maxDuration) / 2) return { value: { overlap } };
      return { problem: 'Enter less than half the length of a segment.' };
    },
  },
  trimStart: {
    label: 'Only from',
    placeholder: 'the beginning',
    inputMode: 'text',
    isHalf: true,
    goesWith: (mode) => SPLIT_MODES[mode].takes.trim,
    parse(text) {
      const start = parseTime(text);
      return start === undefined ? { problem: 'Give a time, as in 0:15.' } : { value: { trim: { start } } };
    },
  },
  trimEnd: {
    label: 'Only up to',
    placeholder: 'the end',
    inputMode: 'text',
    isHalf: true,
    goesWith: (mode) => SPLIT_MODES[mode].takes.trim,
    parse(text, { trim }) {
      const end = parseTime(text);
      if (end === undefined) return { problem: 'Give a time, as in 58:30.' };
      if (end <= Number(trim?.start ?? 0)) return { problem: 'Give a later time than the first.' };
      return { value: { trim: { ...trim, end } } };
    },
  },
  fileName: {
    label: 'Name of the files',
    placeholder: '{name} {number}',
    hint: 'May contain {name}, {number}, {count}, {index}, {title} and {start}.',
    inputMode: 'text',
    isHalf: false,
    goesWith: always,
    parse(fileName) {
      if (fileName.length > 500) return { problem: 'Give at most 500 characters.' };
      const fault = checkFileNameTemplate(fileName);
      return fault === undefined ? { value: { fileName } } : { problem: `This ${fault}.` };
    },
  },
};

export const SWITCH_OPTIONS: Readonly<Record<SwitchOption, SwitchChoice>> = {
  isForSpeech: {
    label: 'For speech recognition',
    hint: 'Mono at 16 kHz; small MP3 files where no format is chosen.',
    fields: { preset: 'speech' },
  },
  isDryRun: {
    label: 'Dry run only',
    hint: 'Shows times, names and sizes. Creates no files and uses no minutes.',
    fields: { dryRun: true },
  },
};

export const TEXT_OPTION_NAMES = Object.keys(TEXT_OPTIONS) as TextOption[];
export const SWITCH_OPTION_NAMES = Object.keys(SWITCH_OPTIONS) as SwitchOption[];

export function isGiven(options: CutOptions, name: TextOption): boolean {
  return (options[name] ?? '').trim() !== '';
}
