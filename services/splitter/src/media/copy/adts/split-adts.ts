import { openByteReader } from '../byte-reader.ts';
import type { CopyOptions, CopyResult } from '../copy-contract.ts';
import {
  createLengthGuard,
  maxSegmentBytes,
  minRemainderSamples,
  segmentEndSample,
  segmentLimitUnreachable,
  unsupportedMedia,
} from '../cut-rules.ts';
import { type FrameSyntax, findFirstFrame, type SyncedFrame, walkFrames } from '../frame-sync.ts';
import { readLeadingTag } from '../id3v2.ts';
import { lookAhead, type Timed } from '../look-ahead.ts';
import { createSegmentSequence } from '../segment-sequence.ts';
import { type AdtsFrameHeader, HEADER_BYTES, MAX_FRAME_BYTES, readFrameHeader } from './frame-header.ts';

const SYNTAX: FrameSyntax<AdtsFrameHeader> = {
  name: 'ADTS',
  headerBytes: HEADER_BYTES,
  maxFrameBytes: MAX_FRAME_BYTES,
  readHeader: readFrameHeader,
  belongTogether: (a, b) => a.format === b.format,
};

interface AdtsFrame extends Timed {
  readonly bytes: Buffer;
}

/**
 * Cuts raw AAC between frames, by duration where one begins nearest to each boundary: every frame goes into
 * exactly one segment, unchanged. The container can declare no preroll, so a decoder that starts at a seam gets
 * the first frame without the overlap of the one before; joined segments are the source again. For the same
 * reason the encoder's delay is unknown and counts as audible.
 */
export async function splitAdts(
  source: AsyncIterable<Uint8Array>,
  options: CopyOptions,
): Promise<CopyResult> {
  const { cut } = options;
  await using reader = openByteReader(source, options);
  await readLeadingTag(reader, 0);
  const first = await findFirstFrame(reader, SYNTAX);
  if (first === undefined) throw unsupportedMedia('The source holds no AAC frames.');
  const { sampleRateHz } = first.header;
  await using segments = createSegmentSequence(options, {
    extension: 'aac',
    contentType: 'audio/aac',
    sampleRateHz,
  });

  const limitBytes = maxSegmentBytes(cut);
  const minRemainder = minRemainderSamples(sampleRateHz);
  const guardLength = createLengthGuard(options.maxSourceDurationMs, sampleRateHz);
  let file = await segments.open();
  let sampleCount = 0;

  async function place(frame: AdtsFrame, totalSampleCount: number): Promise<void> {
    if (frame.bytes.length > limitBytes) throw segmentLimitUnreachable();
    const frameStart = segments.finishedSampleCount + sampleCount;
    const boundary = segmentEndSample(cut, sampleRateHz, segments.finishedCount);
    const isNearest = boundary <= frameStart + frame.sampleCount / 2;
    const isFull = file.sizeBytes + frame.bytes.length > limitBytes;
    if (sampleCount > 0 && (isFull || (isNearest && totalSampleCount - boundary >= minRemainder))) {
      await segments.finish(sampleCount);
      file = await segments.open();
      sampleCount = 0;
    }
    file.append(frame.bytes);
    sampleCount += frame.sampleCount;
    guardLength(segments.finishedSampleCount + sampleCount);
  }

  const frameBatches = timed(walkFrames(reader, SYNTAX, first));
  for await (const { frames, totalSampleCount } of lookAhead(frameBatches, minRemainder)) {
    for (const frame of frames) await place(frame, totalSampleCount ?? Number.POSITIVE_INFINITY);
    await file.flush();
  }
  await segments.finish(sampleCount);
  return segments.result(reader.position);
}

async function* timed(
  batches: AsyncIterable<readonly SyncedFrame<AdtsFrameHeader>[]>,
): AsyncGenerator<readonly AdtsFrame[]> {
  for await (const frames of batches) {
    yield frames.map(({ bytes, header }) => ({ bytes, sampleCount: header.sampleCount }));
  }
}
