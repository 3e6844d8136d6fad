import type { SegmentTags } from '../copy-contract.ts';
import type { SegmentFile } from '../segments/segment-file.ts';
import { type AudioMd5, createAudioMd5 } from './audio-md5.ts';
import { type BlockPlan, encodeBlock } from './coding/block-encoder.ts';
import { type FlacFrameHeader, MAX_HEADER_BYTES } from './frame-header.ts';
import { CRC16_BYTES, isNumbered, type Numbering, renumberedBytes, writeRenumbered } from './renumber.ts';
import {
  createSegmentHead,
  createStreamInfo,
  type FlacHead,
  MIN_BLOCK_SAMPLES,
  STREAM_INFO_AT,
} from './stream-head.ts';
import type { FlacFrame } from './walker.ts';

/** A segment being written: a FLAC stream numbered from its own start. */
export interface FlacSegment {
  readonly sampleCount: number;
  readonly sizeBytes: number;
  /** The MD5 of the written audio; undefined: not requested. */
  readonly audioMd5: AudioMd5 | undefined;
  /** The size of a copy of the frame in this segment. */
  copiedBytes(frame: FlacFrame): number;
  copy(frame: FlacFrame): void;
  encode(plan: BlockPlan, sibling: FlacFrameHeader): void;
  /** Counts samples without data, in a segment without a file. */
  pass(sampleCount: number): void;
  flush(): void;
  /** Corrects STREAMINFO. */
  finish(): void;
}

interface FlacSegmentOptions {
  readonly file: SegmentFile;
  readonly head: FlacHead;
  /** From 1 on. */
  readonly segmentNumber: number;
  /** Undefined: the number follows the source's title. */
  readonly tags: SegmentTags | undefined;
  /**
   * The samples of every block except the last, if frames are numbered consecutively; undefined: blocks of
   * any size, numbered by their first sample.
   */
  readonly gridSamples: number | undefined;
  readonly hasAudioMd5: boolean;
}

/**
 * New headers and checksums are collected in buffers of this size: a checksum and the next frame's header are
 * adjacent there, as in the file, and are written together.
 */
const PIECE_BYTES = 8 * 1024;

export function createFlacSegment(options: FlacSegmentOptions): FlacSegment {
  const { file, head, gridSamples } = options;
  const isVariable = gridSamples === undefined;
  const audioMd5 = options.hasAudioMd5 ? createAudioMd5(head.bitsPerSample) : undefined;
  let piece = Buffer.alloc(0);
  let pieceEnd = 0;
  let frameCount = 0;
  let sampleCount = 0;
  let lastBlockSamples = 0;
  let minInnerBlockSamples = Number.POSITIVE_INFINITY;
  let maxBlockSamples = 0;
  let minFrameBytes = Number.POSITIVE_INFINITY;
  let maxFrameBytes = 0;

  file.append(createSegmentHead(head, options.segmentNumber, options.tags));

  function count(blockSamples: number, frameBytes: number): void {
    if (frameCount > 0) minInnerBlockSamples = Math.min(minInnerBlockSamples, lastBlockSamples);
    lastBlockSamples = blockSamples;
    maxBlockSamples = Math.max(maxBlockSamples, blockSamples);
    minFrameBytes = Math.min(minFrameBytes, frameBytes);
    maxFrameBytes = Math.max(maxFrameBytes, frameBytes);
    frameCount += 1;
    sampleCount += blockSamples;
  }

  function numbering(): Numbering {
    return { isVariable, codedNumber: isVariable ? sampleCount : frameCount };
  }

  /** Equal bounds would mean that all blocks have one size (RFC 9639 8.2). */
  function blockBounds(): { readonly minBlockSamples: number; readonly maxBlockSamples: number } {
    if (gridSamples !== undefined) {
      const size = Math.max(MIN_BLOCK_SAMPLES, gridSamples);
      return { minBlockSamples: size, maxBlockSamples: size };
    }
    const largest = Math.max(MIN_BLOCK_SAMPLES + 1, maxBlockSamples);
    const isKnown = minInnerBlockSamples >= MIN_BLOCK_SAMPLES && minInnerBlockSamples < largest;
    return {
      minBlockSamples: isKnown ? minInnerBlockSamples : MIN_BLOCK_SAMPLES,
      maxBlockSamples: largest,
    };
  }

  return {
    get sampleCount() {
      return sampleCount;
    },
    get sizeBytes() {
      return file.sizeBytes;
    },
    audioMd5,
    copiedBytes: (frame) => renumberedBytes(frame, numbering()),
    copy(frame) {
      const { window, start, end, header, sampleCount: blockSamples } = frame;
      const wanted = numbering();
      const sizeBefore = file.sizeBytes;
      if (isNumbered(frame, wanted)) {
        file.append(window.subarray(start, end));
      } else {
        if (pieceEnd + MAX_HEADER_BYTES + CRC16_BYTES > piece.length) {
          piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
          pieceEnd = 0;
        }
        const headerEnd = writeRenumbered(piece, pieceEnd, frame, wanted);
        const checksumEnd = headerEnd + CRC16_BYTES;
        file.append(piece.subarray(pieceEnd, headerEnd));
        file.append(window.subarray(start + header.headerBytes, end - CRC16_BYTES));
        file.append(piece.subarray(headerEnd, checksumEnd));
        pieceEnd = checksumEnd;
      }
      count(blockSamples, file.sizeBytes - sizeBefore);
    },
    encode(plan, sibling) {
      const frame = encodeBlock(plan, sibling, numbering());
      file.append(frame);
      count(plan.sampleCount, frame.length);
    },
    pass(passedSamples) {
      sampleCount += passedSamples;
    },
    flush: () => file.flush(),
    finish() {
      const streamInfo = createStreamInfo(head, {
        ...blockBounds(),
        minFrameBytes,
        maxFrameBytes,
        sampleCount,
        audioMd5: audioMd5?.digest(),
      });
      file.overwrite(STREAM_INFO_AT, streamInfo);
    },
  };
}
