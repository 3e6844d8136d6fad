/** The requests for jobs of a run: nearly all small, and together with every way to cut and most formats. */
import type { SplitRequest } from '@audiosplit/client';

export interface Recipe {
  readonly name: string;
  readonly source: 'tour.mp3' | 'long.wav';
  /** Its share of the jobs is its weight divided by the sum of all weights. */
  readonly weight: number;
  readonly request: (common: CommonFields) => SplitRequest;
}

export type Destination = Pick<SplitRequest, 'destination' | 'keepCopy'>;

interface CommonFields extends Destination {
  readonly sourceUrl: string;
  readonly webhookUrl: string;
  readonly metadata: { readonly number: number };
}

const ofLength =
  (segmentDuration: number, outputFormat?: SplitRequest['outputFormat']) => (common: CommonFields) =>
    ({ ...common, splitMode: 'duration', segmentDuration, ...(outputFormat && { outputFormat }) }) as const;

export const RECIPES: readonly [Recipe, ...Recipe[]] = [
  { name: 'mp3, 20 s each', source: 'tour.mp3', weight: 6, request: ofLength(20) },
  { name: 'mp3, 7 s each', source: 'tour.mp3', weight: 6, request: ofLength(7) },
  {
    name: 'mp3, 200 kB each',
    source: 'tour.mp3',
    weight: 6,
    request: (common) => ({ ...common, splitMode: 'fileSize', maxFileSize: 200_000 }),
  },
  { name: 'to wav, 20 s each', source: 'tour.mp3', weight: 6, request: ofLength(20, 'wav') },
  { name: 'to flac, 30 s each', source: 'tour.mp3', weight: 6, request: ofLength(30, 'flac') },
  // More than the 8 MiB that are uploaded to a bucket as one part.
  {
    name: 'to wav, in one',
    source: 'tour.mp3',
    weight: 2,
    request: (common) => ({
      ...ofLength(60, 'wav')(common),
      encoding: { sampleRate: 48_000, channels: 2 },
    }),
  },
  // Long enough that its conversion is divided among the splitters.
  { name: 'half an hour to aac, 300 s each', source: 'long.wav', weight: 1, request: ofLength(300, 'aac') },
];

/** Each recipe repeated by its weight. */
export const WEIGHTED_RECIPES: readonly Recipe[] = RECIPES.flatMap((recipe) =>
  Array.from({ length: recipe.weight }, () => recipe),
);
