/**
 * The samples that a WMA decoder returns before the first audible one: two frames. Old builds of ffmpeg keep
 * them and new ones skip them, so all run with an option that keeps them (`DecodeShape.keepsPriming`), and
 * they are removed here.
 */
import type { AudioStreamInfo } from '../../ffmpeg/stream-info.ts';
import type { ProbedSource } from '../input/probed-source.ts';

const PRIMING_FRAMES = 2;

/** Whether it is WMA 1, 2 or Pro. */
export function isWma({ codec }: Pick<AudioStreamInfo, 'codec'>): boolean {
  return codec === 'wmapro' || isPrimed(codec);
}

function isPrimed(codec: string): boolean {
  return codec === 'wmav1' || codec === 'wmav2';
}

/** 0 for sources other than WMA 1 or 2. */
export function wmaPrimingSamples({
  stream,
  sampleRateHz,
}: Pick<ProbedSource, 'stream' | 'sampleRateHz'>): number {
  if (!isPrimed(stream.codec)) return 0;
  if (sampleRateHz <= 16_000) return PRIMING_FRAMES * 512;
  const isShort = sampleRateHz <= 22_050 || (sampleRateHz <= 32_000 && stream.codec === 'wmav1');
  return PRIMING_FRAMES * (isShort ? 1_024 : 2_048);
}
