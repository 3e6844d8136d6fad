/**
 * The waveform of a dry run's source, drawn while the source is available: a link is not fetched a second
 * time.
 */
import { FfmpegError } from '../ffmpeg/run.ts';
import { isAttack, MediaError } from '../media-error.ts';
import { drawWaveform } from '../waveform/draw-waveform.ts';
import type { Waveform } from '../waveform/peak-meter.ts';
import type { PlannedSplit } from './prepare.ts';

/**
 * Undefined if it was not requested, cannot be drawn in time, or would read more of the source than the cuts
 * do.
 */
export async function drawSource({
  options: { waveform: wanted },
  request,
  runtime,
  source: { file, complete },
  totalSeconds,
}: PlannedSplit): Promise<Waveform | undefined> {
  const isPartOfSource = complete !== undefined;
  if (wanted === undefined || request.dryRun !== true || isPartOfSource) return undefined;
  const { maxPixels, maxMs } = wanted;
  const late = AbortSignal.timeout(maxMs);
  try {
    return await drawWaveform({
      ...runtime,
      files: [{ startSeconds: 0, sizeBytes: file.sizeBytes, open: async () => file }],
      seconds: totalSeconds,
      maxPixels,
      decoders: () => 1,
      signal: AbortSignal.any([runtime.signal, late]),
      onProgress: () => undefined,
    });
  } catch (error) {
    runtime.signal.throwIfAborted();
    const isOfSource = error instanceof MediaError || error instanceof FfmpegError;
    if (isAttack(error) || !(isOfSource || late.aborted)) throw error;
    return undefined;
  }
}
