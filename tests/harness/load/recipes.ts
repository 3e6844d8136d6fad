/** What the jobs of a run ask for: nearly all small, and between them every way to cut and most formats. */
import type { SplitRequest } from '@audiosplit/client';

export interface Recipe {
  readonly name: string;
  readonly source: 'tour.mp3' | 'long.wav';
  /** Its share of the jobs is its part of the sum of all weights. */
  readonly weight: number;
  readonly request: (common: CommonFields) => SplitRequest;
}

interface CommonFields {
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
  // Long enough for its conversion to be divided among the splitters.
  { name: 'half an hour to aac, 300 s each', source: 'long.wav', weight: 1, request: ofLength(300, 'aac') },
];

/** Each as often as it weighs. */
export const WEIGHTED_RECIPES: readonly Recipe[] = RECIPES.flatMap((recipe) =>
  Array.from({ length: recipe.weight }, () => recipe),
);
