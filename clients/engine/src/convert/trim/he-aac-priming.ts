/**
 * The samples that a decoder returns for HE-AAC in MP4 before the first audible one. ffmpeg interprets the
 * beginning in an edit list as samples of the core and skips twice as many, which is right only if the track
 * counts at the core's rate. If a track counts at the output rate, ffmpeg is made to keep them
 * (`DecodeShape.keepsPriming`), and they are removed here.
 */
import { CopyNotPossibleError } from '../../copy/copy-contract.ts';
import { readAudioTrack } from '../../copy/m4a/audio-track.ts';
import { MediaError } from '../../media-error.ts';

/** ffmpeg decodes at most this much before the beginning of an edit list. */
const MAX_PRIMING_SECONDS = 1;

/** 0 for any other source; `sampleRateHz` is the decoder's output rate. */
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
