/**
 * What a splitter has to know to convert a part of a source that another one has prepared: plain data, which travels as
 * JSON with the part.
 *
 * The source is prepared by cutting it, without decoding, into pieces of its own format that stand by themselves. They lie
 * one behind the other in one object, the cover before them. A part reads the range of the pieces that hold its samples,
 * and drops what lies before and behind.
 */

import type { AudioStreamInfo } from '../ffmpeg/stream-info.ts';
import type { EncodingName } from '../formats/encoding.ts';
import type { PcmShape, SourceContainer } from '../formats/formats.ts';

export interface SourcePiece {
  readonly sizeBytes: number;
  readonly sampleCount: number;
}

/** What all parts of a source share. */
export interface PartsBasis {
  readonly encoding: EncodingName;
  readonly pcm: PcmShape;
  readonly container: SourceContainer;
  readonly stream: AudioStreamInfo;
  readonly segmentDurationSeconds: number;
  readonly tags: Readonly<Record<string, string>>;
  /** It lies at the beginning of the object. */
  readonly cover: { readonly mimeType: 'image/jpeg' | 'image/png'; readonly sizeBytes: number } | null;
}

export interface PartSpec extends PartsBasis {
  readonly firstSegment: number;
  readonly segmentCount: number;
  /** Samples of the source: of the part's first segment, and behind its last. */
  readonly startSample: number;
  readonly endSample: number;
  /** How many samples before the start are wanted as well. */
  readonly leadInSamples: number;
  /** Where in the object the first of the pieces lies, and which sample of the source is its first. */
  readonly firstPieceByte: number;
  readonly firstPieceSample: number;
  readonly pieces: readonly SourcePiece[];
}

/** Which bytes of the object a part reads, in order, both ends included. */
export function rangesOf({
  cover,
  pieces,
  firstPieceByte,
}: PartSpec): { readonly firstByte: number; readonly lastByte: number }[] {
  const pieceBytes = pieces.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return [
    ...(cover === null ? [] : [{ firstByte: 0, lastByte: cover.sizeBytes - 1 }]),
    { firstByte: firstPieceByte, lastByte: firstPieceByte + pieceBytes - 1 },
  ];
}
