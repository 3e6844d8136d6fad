/** What the pages know of each mode of a split: its field in the form, its words, and the cut that is typed there. */
import { formatSpan } from '../format/format.ts';
import { parseLengthWithin, parseTime, parseWithin } from '../format/typed-time.ts';
import type { Cut, Parsed, SplitMode } from './cut.ts';
import { parseChapters, parsePlaces } from './typed-places.ts';

interface ModeOfSplit {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly field:
    | {
        readonly kind: 'line';
        readonly inputMode: 'numeric' | 'decimal' | 'text';
        readonly presets: readonly { readonly value: string; readonly label: string }[];
      }
    | { readonly kind: 'lines'; readonly placeholder: string };
  readonly defaultText: string;
  readonly parse: (text: string) => Parsed<Cut>;
  /** Whether it has lengths of its own, which may move. In the others a cut is snapped only where a cap makes it. */
  readonly cutsByNumber: boolean;
  /** Whether `overlap` and `trim` go with it. */
  readonly takes: { readonly overlap: boolean; readonly trim: boolean };
}

const MEGABYTE = 1e6;
const ALL = { overlap: true, trim: true };

export const LENGTH_PROBLEM = 'Give a length from 1 second to 24 hours.';
export const SIZE_PROBLEM = 'Give a size from 0.07 to 2,147 megabytes.';

export const SPLIT_MODES: Readonly<Record<SplitMode, ModeOfSplit>> = {
  duration: {
    name: 'By length',
    label: 'Length of a segment',
    hint: 'As in 5:00, 1m30s, 1h, or seconds alone.',
    field: {
      kind: 'line',
      inputMode: 'text',
      presets: ['1:00', '5:00', '10:00', '30:00'].map((value) => ({
        value,
        label: formatSpan(parseTime(value) ?? 0),
      })),
    },
    defaultText: '5:00',
    parse(text) {
      const segmentDuration = parseTime(text) ?? 0;
      if (segmentDuration < 1 || segmentDuration > 86_400) return { problem: LENGTH_PROBLEM };
      if (!Number.isInteger(segmentDuration)) return { problem: 'Give whole seconds.' };
      return { value: { splitMode: 'duration', segmentDuration } };
    },
    cutsByNumber: true,
    takes: ALL,
  },
  fileSize: {
    name: 'By size',
    label: 'Largest segment, in megabytes',
    hint: 'No segment is larger. A megabyte is a million bytes.',
    field: {
      kind: 'line',
      inputMode: 'decimal',
      presets: ['10', '20', '25', '100'].map((value) => ({ value, label: `${value} MB` })),
    },
    defaultText: '25',
    parse(text) {
      const maxFileSize = parseMegabytes(text);
      if (maxFileSize === undefined) return { problem: SIZE_PROBLEM };
      return { value: { splitMode: 'fileSize', maxFileSize } };
    },
    cutsByNumber: true,
    takes: ALL,
  },
  silence: {
    name: 'At silences',
    label: 'Shortest silence to cut at',
    hint: 'As in 0.5 or 500ms. Each cut lies in the middle of a silence.',
    field: {
      kind: 'line',
      inputMode: 'decimal',
      presets: ['0.3', '0.5', '1', '2'].map((value) => ({ value, label: `${value} s` })),
    },
    defaultText: '0.5',
    parse(text) {
      const minSilence = parseLengthWithin(text, 0.1, 60);
      if (minSilence === undefined) return { problem: 'Give 0.1 to 60 seconds.' };
      return { value: { splitMode: 'silence', silence: { minSilence } } };
    },
    cutsByNumber: false,
    takes: ALL,
  },
  chapters: {
    name: 'By chapters',
    label: 'Chapters, if the file has none',
    hint: 'One per line: a time and a title. Leave empty to use the file’s chapters.',
    field: { kind: 'lines', placeholder: '0:00 Welcome\n12:30 The interview' },
    defaultText: '',
    parse(text) {
      const { value: chapters, problem } = parseChapters(text);
      if (problem !== undefined) return { problem };
      return { value: { splitMode: 'chapters', ...(chapters === undefined ? {} : { chapters }) } };
    },
    cutsByNumber: false,
    takes: { overlap: false, trim: true },
  },
  parts: {
    name: 'Into equal parts',
    label: 'Number of parts',
    hint: 'From 2 to 1,000, each of the same length.',
    field: {
      kind: 'line',
      inputMode: 'numeric',
      presets: ['2', '3', '4', '10'].map((value) => ({ value, label: value })),
    },
    defaultText: '4',
    parse(text) {
      const parts = parseWithin(text, 2, 1_000);
      if (parts === undefined || !Number.isInteger(parts)) {
        return { problem: 'Give a whole number from 2 to 1,000.' };
      }
      return { value: { splitMode: 'parts', parts } };
    },
    cutsByNumber: true,
    takes: ALL,
  },
  ranges: {
    name: 'At given times',
    label: 'Times, one per line',
    hint: 'Ranges to keep, as in 1:00-2:30 (a title may follow), or points to cut at, as in 10:00.',
    field: { kind: 'lines', placeholder: '1:00-2:30\n10:00-12:45 The interview' },
    defaultText: '',
    parse(text) {
      const { value, problem } = parsePlaces(text);
      return problem === undefined ? { value: { splitMode: 'ranges', ...value } } : { problem };
    },
    cutsByNumber: false,
    takes: { overlap: false, trim: false },
  },
};

export const MODE_NAMES = Object.keys(SPLIT_MODES) as SplitMode[];

/** Bytes. Undefined if the text is no size that a segment may have. */
export function parseMegabytes(text: string): number | undefined {
  const bytes = Math.floor((parseWithin(text, 0, 1e6) ?? 0) * MEGABYTE);
  return bytes >= 65_536 && bytes <= 2_147_483_648 ? bytes : undefined;
}
