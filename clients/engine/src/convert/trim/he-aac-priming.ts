/**
 * What a decoder gives of HE-AAC in MP4 before the first audible sample. ffmpeg takes an edit list's beginning for samples
 * of the core and skips twice as many, which is right only where the track counts at the core's rate. Of a track that
 * counts at the output rate ffmpeg leaves them in (`DecodeShape.keepsPriming`), and they are left out here.
 */
import { CopyNotPossibleError } from '../../copy/copy-contract.ts';
import { readAudioTrack } from '../../copy/m4a/audio-track.ts';
import { MediaError } from '../../media-error.ts';

/** ffmpeg decodes no more than that in front of an edit list's beginning. */
const MAX_PRIMING_SECONDS = 1;

/** 0 for any other source; `sampleRateHz` is what it decodes to. */
export function heAacPrimingSamples(moov: Buffer, sampleRateHz: number): number {
  try {
    const { sampleRateHz: coreRateHz, ticksPerSample, audibleStart } = readAudioTrack(moov);
    if (ticksPerSample === 1 || sampleRateHz !== 2 * coreRateHz) return 0;
    return audibleStart <= MAX_PRIMING_SECONDS * coreRateHz ? 2 * audibleStart : 0;
  } catch (error) {
    if (error instanceof CopyNotPossibleError || error instanceof MediaError) return 0;
    throw error;
  }
}
