/**
 * The names of formats: of sources (`SourceContainer`), of segments (`OutputFormat`) and of decoded samples
 * (`PcmShape`). `encoding.ts` defines what each output is encoded to, `own-format.ts` which format a source
 * keeps.
 */
import { OUTPUT_FORMATS, type OutputFormat } from '@audiosplit/cuts/output-formats';

export { OUTPUT_FORMATS, type OutputFormat };

export type SourceContainer =
  | 'mp3'
  | 'mp2'
  | 'wav'
  /** RIFX (big-endian numbers), or samples before their format: only ffmpeg reads it, and it has to seek. */
  | 'uncommon-wav'
  | 'w64'
  | 'flac'
  | 'ogg'
  | 'mp4'
  | 'adts'
  | 'matroska'
  | 'aiff'
  | 'asf'
  | 'amr'
  | 'ac3'
  | 'eac3'
  | 'caf'
  | 'wavpack'
  /** A rate that is not in the list, or several blocks for one moment: ffmpeg has to seek. */
  | 'uncommon-wavpack'
  | 'ape'
  | 'musepack7'
  | 'musepack8'
  | 'dsf'
  | 'dff'
  | 'mpegts'
  | 'mpegps'
  | 'flv'
  | 'avi'
  | 'au'
  | 'tta';

/** Raw PCM sample formats, by the names of ffmpeg's raw muxers. */
export const PCM_FORMATS = ['u8', 's16le', 's24le', 's32le', 'f32le', 'f64le'] as const;
export type PcmFormat = (typeof PCM_FORMATS)[number];

export interface PcmShape {
  readonly format: PcmFormat;
  readonly sampleRateHz: number;
  readonly channelCount: number;
}
