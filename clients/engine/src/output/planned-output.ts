/** The size of a split's segments, from length, rate and format, before anything is encoded. */
import type { Cover } from '../convert/tags/cover.ts';
import type { Encoding } from '../formats/encoding.ts';
import { bitsPerSecond } from '../formats/estimate-size.ts';
import type { PcmShape } from '../formats/formats.ts';

export interface OutputShape {
  readonly encoding: Encoding;
  readonly pcm: PcmShape;
  /** Every segment carries a copy. */
  readonly cover?: Cover | undefined;
}

export function plannedOutputBytes(shape: OutputShape, sampleCount: number, segmentCount: number): number {
  return Math.ceil(soundBytes(shape, sampleCount) + segmentCount * coverBytesOf(shape));
}

export function soundBytes({ encoding, pcm }: OutputShape, sampleCount: number): number {
  return ((sampleCount / pcm.sampleRateHz) * bitsPerSecond(encoding, pcm)) / 8;
}

export function coverBytesOf({ cover }: OutputShape): number {
  return cover?.bytes.length ?? 0;
}
