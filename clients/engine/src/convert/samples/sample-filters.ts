/**
 * All processing of samples between the decoder and the encoder, as filters of the decoder's ffmpeg.
 *
 * It uses 64-bit floats and rounds once, at the end. Mixing keeps the level: a mono channel is copied to both
 * unchanged (ffmpeg would reduce it by 3 dB), and a mix of several channels is scaled so that it cannot
 * exceed full scale if none of them does.
 */
import type { PcmShape } from '../../formats/formats.ts';

export interface SampleChange {
  /** Absent: 0. */
  readonly gainDb?: number | undefined;
  /** Whether anything besides a format is requested. */
  readonly isAdjusted: boolean;
}

/** Empty if the samples are passed on as decoded. */
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
