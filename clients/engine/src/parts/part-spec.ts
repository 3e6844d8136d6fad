/**
 * What a splitter needs to convert a part of a source that another splitter has prepared: plain data, sent as
 * JSON with the part.
 *
 * The source is prepared by cutting it, without decoding, into independent pieces of its own format. They are
 * concatenated in one object, after the cover. A part reads the range of the pieces that contain its samples,
 * and drops the samples before and after.
 */

import type { AudioStreamInfo } from '../ffmpeg/stream-info.ts';
import type { EncodingName } from '../formats/encoding.ts';
import type { PcmShape, SourceContainer } from '../formats/formats.ts';

export interface SourcePiece {
  readonly sizeBytes: number;
  readonly sampleCount: number;
}

/** Common to all parts of a source. */
export interface PartsBasis {
  readonly encoding: EncodingName;
  readonly pcm: PcmShape;
  readonly container: SourceContainer;
  readonly stream: AudioStreamInfo;
  readonly segmentDurationSeconds: number;
  readonly tags: Readonly<Record<string, string>>;
  /** It is at the beginning of the object. */
  readonly cover: { readonly mimeType: 'image/jpeg' | 'image/png'; readonly sizeBytes: number } | null;
}

export interface PartSpec extends PartsBasis {
  readonly firstSegment: number;
  readonly segmentCount: number;
  /** Positions in samples of the source: the start of the part's first segment, and the end of its last. */
  readonly startSample: number;
  readonly endSample: number;
  /** The number of samples before the start that are needed too. */
  readonly leadInSamples: number;
  /** The position of the first piece in the object, and the sample of the source with which it begins. */
  readonly firstPieceByte: number;
  readonly firstPieceSample: number;
  readonly pieces: readonly SourcePiece[];
}

/** The ranges of the object that a part reads, in order, both ends included. */
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
