import { formatSigned } from './describe-cut.ts';

/** As the API has them (`cut` of a segment). A newer service may send unknown ones. */
const ENDS: Readonly<Record<string, string>> = {
  exact: 'ends at a set point',
  silence: 'ends in a silence',
  quietest: 'ends at the quietest spot',
  chapter: 'ends with its chapter',
  range: 'ends where you said',
  end: 'goes to the end',
};

interface DescribedSegment {
  readonly fileName: string;
  /** In a bucket. */
  readonly location?: string | undefined;
  readonly cut?: string | undefined;
  readonly startTime: number;
  readonly contentStart?: number | undefined;
}

/** Whether the ends of segments are worth a word. Where all are as the request set them, they are not. */
export function haveVariousEnds(segments: readonly Pick<DescribedSegment, 'cut'>[]): boolean {
  return segments.some(({ cut }) => cut !== undefined && cut !== 'exact' && cut !== 'end');
}

/** What the figures of a segment do not say. The name, with the bucket where it lies in one, stands last, where a narrow row ends first. */
export function describeSegment(segment: DescribedSegment, hasVariousEnds: boolean): string {
  const { fileName, location, cut, startTime, contentStart } = segment;
  const overlap = contentStart === undefined ? 0 : Math.round((contentStart - startTime) * 1_000) / 1_000;
  return [
    cut === undefined || !hasVariousEnds ? '' : (ENDS[cut] ?? ''),
    overlap > 0 ? `begins ${overlap} s before its cut` : '',
    location ?? fileName,
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

interface Loudness {
  readonly measured: number | null;
  readonly gain: number;
  readonly truePeak: number | null;
}

export function describeLoudness({ measured, gain, truePeak }: Loudness): string {
  if (measured === null) return 'The recording is silent, so its loudness is as it was.';
  const change = `${gain > 0 ? '+' : ''}${formatSigned(round(gain))} dB`;
  const peak = truePeak === null ? '' : `, true peak ${formatSigned(round(truePeak))} dBTP`;
  return `Loudness: ${formatSigned(round(measured))} LUFS as it came, ${change} for all segments${peak}.`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
