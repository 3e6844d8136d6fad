import { openByteReader } from '../byte-reader.ts';
import type { CopyOptions, CopyResult } from '../copy-contract.ts';
import {
  createLengthGuard,
  maxSegmentBytes,
  maxTagBytes,
  minRemainderSamples,
  segmentEndSample,
  segmentLimitUnreachable,
  unsupportedMedia,
} from '../cut-rules.ts';
import { lookAhead } from '../look-ahead.ts';
import type { SegmentFile } from '../segment-file.ts';
import { createSegmentSequence } from '../segment-sequence.ts';
import { renumberFrame } from './renumber.ts';
import { createSegmentHead, readFlacHead } from './stream-head.ts';
import { type FlacFrame, walkFlac } from './walker.ts';

interface OpenSegment {
  readonly file: SegmentFile;
  readonly segmentNumber: number;
  frameCount: number;
  sampleCount: number;
  minFrameBytes: number;
  maxFrameBytes: number;
}

/** Cuts FLAC between frames: by duration where a frame begins nearest to each boundary. */
export async function splitFlac(
  source: AsyncIterable<Uint8Array>,
  options: CopyOptions,
): Promise<CopyResult> {
  const { cut } = options;
  await using reader = openByteReader(source, options);
  const head = await readFlacHead(reader, maxTagBytes(cut));
  const { sampleRateHz } = head;
  await using segments = createSegmentSequence(options, {
    extension: 'flac',
    contentType: 'audio/flac',
    sampleRateHz,
  });

  const limitBytes = maxSegmentBytes(cut);
  const minRemainder = minRemainderSamples(sampleRateHz);
  const guardLength = createLengthGuard(options.maxSourceDurationMs, sampleRateHz);
  let segment = await startSegment();

  async function startSegment(): Promise<OpenSegment> {
    const file = await segments.open();
    const segmentNumber = segments.finishedCount + 1;
    file.append(
      createSegmentHead(head, { segmentNumber, minFrameBytes: 0, maxFrameBytes: 0, sampleCount: 0 }),
    );
    const minFrameBytes = Number.POSITIVE_INFINITY;
    return { file, segmentNumber, frameCount: 0, sampleCount: 0, minFrameBytes, maxFrameBytes: 0 };
  }

  async function endSegment(): Promise<void> {
    await segment.file.overwrite(0, createSegmentHead(head, segment));
    await segments.finish(segment.sampleCount);
  }

  async function place(frame: FlacFrame, totalSampleCount: number): Promise<void> {
    const frameStart = segments.finishedSampleCount + segment.sampleCount;
    const boundary = segmentEndSample(cut, sampleRateHz, segments.finishedCount);
    const isNearest = boundary <= frameStart + frame.sampleCount / 2;
    // The number a frame is given is never larger than the one it has: it does not grow.
    const isFull = segment.file.sizeBytes + frame.bytes.length > limitBytes;
    if (segment.frameCount > 0 && (isFull || (isNearest && totalSampleCount - boundary >= minRemainder))) {
      await endSegment();
      segment = await startSegment();
    }
    if (segment.file.sizeBytes + frame.bytes.length > limitBytes) throw segmentLimitUnreachable();
    const codedNumber = frame.header.hasVariableBlocks ? segment.sampleCount : segment.frameCount;
    const before = segment.file.sizeBytes;
    for (const part of renumberFrame(frame, codedNumber)) segment.file.append(part);
    const frameBytes = segment.file.sizeBytes - before;
    segment.frameCount += 1;
    segment.sampleCount += frame.sampleCount;
    segment.minFrameBytes = Math.min(segment.minFrameBytes, frameBytes);
    segment.maxFrameBytes = Math.max(segment.maxFrameBytes, frameBytes);
    guardLength(segments.finishedSampleCount + segment.sampleCount);
  }

  for await (const { frames, totalSampleCount } of lookAhead(walkFlac(reader, head), minRemainder)) {
    for (const frame of frames) await place(frame, totalSampleCount ?? Number.POSITIVE_INFINITY);
    await segment.file.flush();
  }
  if (segment.frameCount === 0) throw unsupportedMedia('The FLAC stream holds no frames.');
  await endSegment();
  return segments.result(reader.position);
}
