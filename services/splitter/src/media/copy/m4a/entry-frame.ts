import { readHighBand } from '../aac/aac-frame.ts';
import type { SbrPayload } from '../aac/sbr-payload.ts';
import { CopyNotPossibleError } from '../copy-contract.ts';
import { type AudioTrack, FRAME_SAMPLES } from './audio-track.ts';
import type { FrameHistory } from './frame-history.ts';

/**
 * How much a segment may store in front of its beginning to reach an SBR header. ffmpeg decodes one second before an
 * edit list's beginning and leaves out what lies further back, so a header there would be lost on it. Encoders write
 * one every half second.
 */
const MAX_ENTRY_SECONDS = 1;

/** More of them than AAC-LC needs: what parametric stereo spreads the sound with rings on for some 100 ms. */
const SETTLING_FRAMES = 2;

type EntryTrack = Pick<AudioTrack, 'config' | 'sampleRateHz'>;

/** In frames. */
export function maxEntryDistance({ config, sampleRateHz }: EntryTrack): number {
  return config.highBand === 'absent' ? 0 : Math.floor((MAX_ENTRY_SECONDS * sampleRateHz) / FRAME_SAMPLES);
}

/**
 * The last frame with which a decoder can begin to have all it needs by `readyFrame`, of a segment beginning at
 * `startSample`. Without a high band that is the frame itself. Else a decoder needs a header, and with it or behind it
 * a payload that is not coded as a difference from the one before. Throws CopyNotPossibleError where no such frame
 * lies near.
 */
export function findEntryFrame(
  track: EntryTrack,
  history: FrameHistory,
  readyFrame: number,
  startSample: number,
): number {
  const { highBand } = track.config;
  if (highBand === 'absent' || readyFrame === 0) return readyFrame;
  const nearest = Math.ceil((startSample - MAX_ENTRY_SECONDS * track.sampleRateHz) / FRAME_SAMPLES);
  // Of the first segment no frame is known yet. A decoder of the whole source begins with its first frame as well.
  if (history.frame(readyFrame) === undefined && nearest <= 0) return 0;
  if (highBand === 'possible' && !payloadsOf(readyFrame).some(isThere)) return readyFrame;
  let isIndependent = false;
  for (let candidate = readyFrame - SETTLING_FRAMES; candidate >= Math.max(0, nearest); candidate--) {
    const payloads = payloadsOf(candidate);
    if (!payloads.some(isThere)) continue;
    isIndependent ||= payloads.every((payload) => payload?.isIndependent);
    if (isIndependent && payloads.every((payload) => payload?.hasHeader)) return candidate;
  }
  if (nearest <= 0) return 0;
  throw new CopyNotPossibleError('no SBR header near the beginning of a segment');

  /** None where the frame cannot be read. */
  function payloadsOf(frameIndex: number): readonly (SbrPayload | undefined)[] {
    const frame = history.frame(frameIndex);
    return (frame && readHighBand(frame, track.config.bands)) ?? [];
  }
}

function isThere(payload: SbrPayload | undefined): boolean {
  return payload !== undefined;
}
