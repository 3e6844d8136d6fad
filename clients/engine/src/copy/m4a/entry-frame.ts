import { readHighBand } from '../aac/aac-frame.ts';
import type { SbrPayload } from '../aac/sbr-payload.ts';
import type { BandWidths } from '../aac/scale-factor-bands.ts';
import { CopyNotPossibleError } from '../copy-contract.ts';
import type { AudioTrack } from './audio-track.ts';
import type { FrameHistory } from './frame-history.ts';

/**
 * How much a segment may store before its beginning to include an SBR header. ffmpeg decodes one second
 * before the beginning of an edit list and skips everything earlier, so it would miss an earlier header.
 * Encoders write one every half second.
 */
const MAX_ENTRY_SECONDS = 1;
/**
 * To include an independent frame, at which decoders must begin according to `stss`. Encoders write one every
 * few seconds.
 */
const MAX_INDEPENDENT_SECONDS = 10;
/** A source may state any rate up to 16 MHz, and that many frames would be kept in memory. */
const MAX_RATE_HZ = 96_000;

/**
 * The frames that HE-AAC needs in addition to AAC-LC: the reverberation of parametric stereo lasts some 100
 * ms.
 */
const SETTLING_FRAMES = 2;
/** `usacIndependencyFlag`, the first bit of a frame of xHE-AAC. */
const INDEPENDENCE_FLAG = 0x80;
/** The next bit, if the first element is a preroll element: the preroll is present. */
const PREROLL_FLAG = 0x40;

type EntryTrack = Pick<AudioTrack, 'config' | 'sampleRateHz'>;

interface EntryRequest {
  readonly history: FrameHistory;
  /** By this frame a decoder must have everything it needs. */
  readonly readyFrame: number;
  /** Of the segment. */
  readonly startSample: number;
}

interface EntrySearch extends Pick<EntryRequest, 'history' | 'readyFrame'> {
  readonly earliestFrame: number;
}

/** In frames. */
export function maxEntryDistance(track: EntryTrack): number {
  return Math.floor(maxEntrySamples(track) / track.config.frameSamples);
}

function maxEntrySamples({ config, sampleRateHz }: EntryTrack): number {
  const rateHz = Math.min(sampleRateHz, MAX_RATE_HZ);
  switch (config.entry.kind) {
    case 'any':
      return 0;
    case 'independent':
      return MAX_INDEPENDENT_SECONDS * rateHz;
    default:
      return MAX_ENTRY_SECONDS * rateHz;
  }
}

/** The last frame at which a decoder can begin. Throws CopyNotPossibleError if there is no such frame nearby. */
export function findEntryFrame(
  track: EntryTrack,
  { history, readyFrame, startSample }: EntryRequest,
): number {
  const { entry, frameSamples } = track.config;
  if (entry.kind === 'any' || readyFrame === 0) return readyFrame;
  const earliestFrame = Math.max(0, Math.ceil((startSample - maxEntrySamples(track)) / frameSamples));
  if (entry.kind === 'early') return Math.min(readyFrame, earliestFrame);
  // For the first segment no frame is known yet. A decoder of the whole source begins with its first frame as
  // well.
  if (history.frame(readyFrame) === undefined && earliestFrame === 0) return 0;
  const search = { history, readyFrame, earliestFrame };
  const found =
    entry.kind === 'independent'
      ? findIndependentFrame(search, entry.mayHoldPreroll)
      : findHeaderFrame(search, track, entry.bands);
  if (found !== undefined) return found;
  if (earliestFrame === 0) return 0;
  throw new CopyNotPossibleError('no frame to begin with near the beginning of a segment');
}

/**
 * A frame that contains the earlier frames it needs, otherwise any independent one: not all decoders begin
 * with the latter.
 */
function findIndependentFrame(
  { history, readyFrame, earliestFrame }: EntrySearch,
  mayHoldPreroll: boolean,
): number | undefined {
  let independent: number | undefined;
  for (let candidate = readyFrame; candidate >= earliestFrame; candidate--) {
    const flags = history.frame(candidate)?.[0] ?? 0;
    if ((flags & INDEPENDENCE_FLAG) === 0) continue;
    if (!mayHoldPreroll || (flags & PREROLL_FLAG) !== 0) return candidate;
    independent ??= candidate;
  }
  return independent;
}

/**
 * Without a high band, `readyFrame` itself. Otherwise a decoder needs a header and, with it or after it, a
 * payload that is not coded as a difference from the previous one.
 */
function findHeaderFrame(
  { history, readyFrame, earliestFrame }: EntrySearch,
  { config: { highBand } }: EntryTrack,
  bands: BandWidths,
): number | undefined {
  if (highBand === 'possible' && !payloadsOf(readyFrame).some(isThere)) return readyFrame;
  let isIndependent = false;
  for (let candidate = readyFrame - SETTLING_FRAMES; candidate >= earliestFrame; candidate--) {
    const payloads = payloadsOf(candidate);
    if (!payloads.some(isThere)) continue;
    isIndependent ||= payloads.every((payload) => payload?.isIndependent);
    if (isIndependent && payloads.every((payload) => payload?.hasHeader)) return candidate;
  }
  return undefined;

  /** Empty if the frame cannot be read. */
  function payloadsOf(frameIndex: number): readonly (SbrPayload | undefined)[] {
    const frame = history.frame(frameIndex);
    return (frame && readHighBand(frame, bands)) ?? [];
  }
}

function isThere(payload: SbrPayload | undefined): boolean {
  return payload !== undefined;
}
