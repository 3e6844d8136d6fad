/**
 * What is done to samples between the decoder and the encoder, as filters of the decoder's ffmpeg: the one place for it.
 *
 * All of it happens in 64-bit floats and is rounded once, at the end. Mixing keeps the level: one channel is given to both
 * as it is (ffmpeg would take 3 dB off), and what several are mixed to is scaled so that it cannot pass full scale where
 * none of them does.
 */
import type { PcmShape } from '../../formats/formats.ts';

export interface SampleChange {
  /** Absent: 0. */
  readonly gainDb?: number | undefined;
  /** Whether anything is asked for but a format. */
  readonly isAdjusted: boolean;
}

/** Empty where the samples are handed on as they are decoded. */
export function sampleFilters(
  { gainDb = 0, isAdjusted }: SampleChange,
  source: { readonly channelCount: number },
  pcm: PcmShape,
): readonly string[] {
  if (!isAdjusted && gainDb === 0) return [];
  return [
    'aformat=sample_fmts=dblp',
    ...(gainDb === 0 ? [] : [`volume=${gainDb.toFixed(6)}dB:precision=double`]),
    ...mixingFilters(source.channelCount, pcm.channelCount),
  ];
}

function mixingFilters(from: number, to: number): readonly string[] {
  if (from === to) return [];
  if (from === 1 && to === 2) return ['pan=stereo|c0=c0|c1=c0'];
  return ['aresample=rematrix_maxval=1', `aformat=channel_layouts=${to === 1 ? 'mono' : 'stereo'}`];
}
