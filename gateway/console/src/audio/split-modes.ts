/** What the pages know of each mode of a split: its field in the form, its words and its plan. */
import type { CreateJobBody } from '@audiosplit/gateway/schemas/splits';
import { formatBytes, formatSpan, parseClock } from '../format/format.ts';

/** The modes that the form offers. */
export type OfferedMode = 'duration' | 'fileSize';

/** A cut as the form requests it. */
export interface Cut {
  readonly splitMode: OfferedMode;
  readonly segmentDuration?: number;
  readonly maxFileSize?: number;
}

/** A cut as jobs have it, in any mode. */
export type ShownCut = Pick<CreateJobBody, 'splitMode' | 'segmentDuration' | 'maxFileSize' | 'parts'>;

interface ModeOfSplit {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly problem: string;
  readonly inputMode: 'numeric' | 'decimal';
  readonly defaultText: string;
  readonly presets: readonly { readonly value: string; readonly label: string }[];
  /** Undefined if the text is invalid. */
  readonly parse: (text: string) => Cut | undefined;
  readonly describe: (cut: Cut) => string;
  /** Length of a full segment. Undefined if too little is known. */
  readonly segmentSeconds: (cut: Cut, bytesPerSecond: number | undefined) => number | undefined;
  /** Whether segments have this length, and the estimate of their size is not a limit. */
  readonly isExact: boolean;
}

const MEGABYTE = 1e6;

export const SPLIT_MODES: Readonly<Record<OfferedMode, ModeOfSplit>> = {
  duration: {
    name: 'By length',
    label: 'Length of a segment',
    hint: 'Minutes and seconds, as in 5:00, or seconds alone.',
    problem: 'Give a length from 1 second to 24 hours.',
    inputMode: 'numeric',
    defaultText: '5:00',
    presets: ['1:00', '5:00', '10:00', '30:00'].map((value) => ({
      value,
      label: formatSpan(parseClock(value) ?? 0),
    })),
    parse(text) {
      const segmentDuration = parseClock(text) ?? 0;
      return isWithin(segmentDuration, 1, 86_400) ? { splitMode: 'duration', segmentDuration } : undefined;
    },
    describe: ({ segmentDuration = 0 }) => `every ${formatSpan(segmentDuration)}`,
    segmentSeconds: ({ segmentDuration }) => segmentDuration,
    isExact: true,
  },
  fileSize: {
    name: 'By size',
    label: 'Most megabytes of a segment',
    hint: 'No segment has more; a megabyte is a million bytes.',
    problem: 'Give a size from 0.07 to 2,147 megabytes.',
    inputMode: 'decimal',
    defaultText: '25',
    presets: ['10', '20', '25', '100'].map((value) => ({ value, label: `${value} MB` })),
    parse(text) {
      const maxFileSize = Math.floor(Number(text) * MEGABYTE);
      return isWithin(maxFileSize, 65_536, 2_147_483_648)
        ? { splitMode: 'fileSize', maxFileSize }
        : undefined;
    },
    describe: ({ maxFileSize = 0 }) => `up to ${formatBytes(maxFileSize)} each`,
    segmentSeconds: ({ maxFileSize = 0 }, bytesPerSecond) => bytesPerSecond && maxFileSize / bytesPerSecond,
    isExact: false,
  },
};

export function describeCut(cut: ShownCut): string {
  const { splitMode, segmentDuration, maxFileSize, parts } = cut;
  switch (splitMode) {
    case 'duration':
      return segmentDuration === undefined
        ? 'by length'
        : SPLIT_MODES.duration.describe({ splitMode, segmentDuration });
    case 'fileSize':
      return maxFileSize === undefined
        ? 'by size'
        : SPLIT_MODES.fileSize.describe({ splitMode, maxFileSize });
    case 'silence':
      return 'at silences';
    case 'chapters':
      return 'at chapters';
    case 'ranges':
      return 'at given places';
    case 'parts':
      return parts === undefined ? 'into equal parts' : `into ${parts} equal parts`;
    default:
      return splitMode satisfies never;
  }
}

/** What other modes give is not estimated. */
export function isOffered(cut: ShownCut): cut is Cut {
  return cut.splitMode in SPLIT_MODES;
}

function isWithin(value: number, least: number, most: number): boolean {
  return value >= least && value <= most;
}
