/** The options that choose where cuts come from, one for each mode and each way to give it its fields. */
import { parseLengthSeconds, parseTimeSeconds, type SplitRequest } from '@audiosplit/client';
import { readChaptersFile } from './chapters-file.ts';
import { type CutOption, rangeOf, within } from './cut-option.ts';

export interface ModeOption extends CutOption {
  readonly mode: SplitRequest['splitMode'];
}

interface Range {
  readonly start: number;
  readonly end?: number;
  readonly title?: string;
}

export const MODE_OPTIONS = {
  every: {
    mode: 'duration',
    field: 'segmentDuration',
    value: 'LENGTH',
    help: 'by length: 60, 90s, 5m, 1h30m',
    parse: (text) => whole(within(parseLengthSeconds(text), 'segmentDuration')),
    expected: `whole seconds ${rangeOf('segmentDuration')}, such as 60, 90s, 5m or 1h`,
  },
  parts: {
    mode: 'parts',
    field: 'parts',
    value: 'N',
    help: 'into so many segments of equal length',
    parse: (text) => (/^\d+$/.test(text) ? within(Number(text), 'parts') : undefined),
    expected: `a whole number ${rangeOf('parts')}`,
  },
  silence: {
    mode: 'silence',
    help: 'in the middle of silences',
    parse: () => true,
  },
  'at-silence': {
    mode: 'silence',
    sameAs: 'silence',
    help: 'the same as --silence',
    parse: () => true,
  },
  chapters: {
    mode: 'chapters',
    help: "at the source's own chapters",
    parse: () => true,
  },
  'chapters-from': {
    mode: 'chapters',
    field: 'chapters',
    value: 'FILE',
    help: 'at the chapters of a JSON file (Podcasting 2.0)',
    parse: readChaptersFile,
  },
  'split-at': {
    mode: 'ranges',
    field: 'splitPoints',
    value: 'TIMES',
    help: 'at these times: 10:00,20:00,1:02:03.5',
    parse: readSplitPoints,
    expected: 'times in ascending order above 0, such as 10:00,20:00',
  },
  ranges: {
    mode: 'ranges',
    field: 'ranges',
    value: 'RANGES',
    help: 'only these ranges: 0:00-1:30,2:00-; titled: 0:00-1:30=Intro',
    parse: readRanges,
    expected: 'ranges that end above their beginning, such as 0:00-1:30,2:00-',
  },
} as const satisfies Record<string, ModeOption>;

function whole(value: number | undefined): number | undefined {
  return Number.isInteger(value) ? value : undefined;
}

function readSplitPoints(text: string): readonly number[] | undefined {
  const points: number[] = [];
  for (const each of text.split(',')) {
    const point = parseTimeSeconds(each.trim());
    if (point === undefined || point <= (points.at(-1) ?? 0)) return undefined;
    points.push(point);
  }
  return points;
}

function readRanges(text: string): readonly Range[] | undefined {
  const ranges = text.split(',').map((each): Range | undefined => {
    const [, from = '', to = '', title] = /^([^-=]+)-([^-=]*)(?:=(.+))?$/.exec(each) ?? [];
    const start = parseTimeSeconds(from.trim());
    const end = to.trim() === '' ? undefined : parseTimeSeconds(to.trim());
    if (start === undefined || (to.trim() !== '' && end === undefined)) return undefined;
    if (end !== undefined && end <= start) return undefined;
    return {
      start,
      ...(end === undefined ? {} : { end }),
      ...(title === undefined ? {} : { title: title.trim() }),
    };
  });
  return ranges.every((range) => range !== undefined) ? ranges : undefined;
}
