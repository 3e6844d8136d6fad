/** The options that say how to cut, one for each mode of a split. */
import { SPLIT_BOUNDS, type SplitRequest } from '@audiosplit/client';
import { parseDurationSeconds, parseSizeBytes } from './quantities.ts';
import { UsageError } from './usage.ts';

export type Cut = Omit<SplitRequest, 'sourceUrl' | 'outputFormat' | 'webhookUrl' | 'metadata'>;

interface CutOption {
  /** Of the option, in the help. */
  readonly value: string;
  readonly help: string;
  readonly example: string;
  /** Undefined if the text is invalid. */
  readonly parse: (text: string) => Cut | undefined;
  readonly expected: string;
}

const { segmentDuration: seconds, maxFileSize: bytes } = SPLIT_BOUNDS;

export const CUT_OPTIONS = {
  every: {
    value: 'LENGTH',
    help: 'cut by length: 60, 90s, 5m, 1h, 1h30m',
    example: '60',
    parse(text) {
      const segmentDuration = within(parseDurationSeconds(text), seconds);
      return segmentDuration === undefined ? undefined : { splitMode: 'duration', segmentDuration };
    },
    expected: `whole seconds from ${seconds.minimum} to ${seconds.maximum}, such as 60, 90s, 5m or 1h`,
  },
  'max-size': {
    value: 'SIZE',
    help: 'cut by size, no segment above it: 25MB, 25MiB, 26214400',
    example: '25MB',
    parse(text) {
      const maxFileSize = within(parseSizeBytes(text), bytes);
      return maxFileSize === undefined ? undefined : { splitMode: 'fileSize', maxFileSize };
    },
    expected: `a size from ${bytes.minimum} to ${bytes.maximum} bytes, such as 25MB, 25MiB or 26214400`,
  },
} as const satisfies Record<string, CutOption>;

type Name = keyof typeof CUT_OPTIONS;
const ENTRIES = Object.entries(CUT_OPTIONS) as [Name, CutOption][];

/** Throws UsageError unless exactly one of the options is given. */
export function readCut(values: Readonly<Partial<Record<Name, string | undefined>>>): Cut {
  const given = ENTRIES.filter(([name]) => values[name] !== undefined);
  const [first, second] = given;
  if (first === undefined) {
    const examples = ENTRIES.map(([name, { example }]) => `--${name} ${example}`).join(' or ');
    throw new UsageError(
      `say how to cut, ${examples}, after a -- of its own: npm run split -- <file> --every 60`,
    );
  }
  if (second !== undefined) {
    const names = given.map(([name]) => `--${name}`).join(' and ');
    throw new UsageError(`${names} exclude one another: keep one of them`);
  }
  const [name, { parse, expected }] = first;
  const text = values[name] ?? '';
  const cut = parse(text);
  if (cut === undefined) throw new UsageError(`--${name} ${text}: give ${expected}`);
  return cut;
}

function within(
  value: number | undefined,
  { minimum, maximum }: { readonly minimum: number; readonly maximum: number },
): number | undefined {
  return value !== undefined && value >= minimum && value <= maximum ? value : undefined;
}

export const CUT_SYNOPSIS = ENTRIES.map(([name, { value }]) => `--${name} ${value}`).join(' | ');

export const CUT_HELP = ENTRIES.map(
  ([name, { value, help }]) => `  ${`--${name} ${value}`.padEnd(18)} ${help}`,
).join('\n');
