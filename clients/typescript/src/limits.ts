/** Bounds of what a split may ask for, for checks before a request. */
import type { SplitRequest } from './types.ts';

export const OUTPUT_FORMATS = ['mp3', 'wav', 'flac', 'ogg', 'aac'] as const satisfies readonly NonNullable<
  SplitRequest['outputFormat']
>[];
export const MAX_SEGMENT_SECONDS = 86_400;
export const MIN_SEGMENT_BYTES = 65_536;
export const MAX_SEGMENT_BYTES = 2_147_483_648;
