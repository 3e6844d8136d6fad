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
import { createPageWriter, type OggPageWriter } from './page-writer.ts';
import { type OggPacket, openOggStream } from './stream-walker.ts';
import { createVorbisCodec } from './vorbis-headers.ts';

interface OpenSegment {
  readonly file: SegmentFile;
  readonly pages: OggPageWriter;
  sampleCount: number;
}

/**
 * Cuts Ogg Vorbis between packets, by duration where one ends nearest to each boundary. A segment begins with the
 * packet that the one before ended with: decoders get no samples from a first packet but need it for the next.
 */
export async function splitVorbis(
  source: AsyncIterable<Uint8Array>,
  options: CopyOptions,
): Promise<CopyResult> {
  const { cut } = options;
  await using reader = openByteReader(source, options);
  const { headers, packets } = await openOggStream(reader, createVorbisCodec(maxTagBytes(cut)));
  const { sampleRateHz } = headers;
  await using segments = createSegmentSequence(options, {
    extension: 'ogg',
    contentType: 'audio/ogg',
    sampleRateHz,
  });

  const limitBytes = maxSegmentBytes(cut);
  const minRemainder = minRemainderSamples(sampleRateHz);
  const guardLength = createLengthGuard(options.maxSourceDurationMs, sampleRateHz);
  let previous: OggPacket | undefined;
  let segment = await startSegment();

  async function startSegment(): Promise<OpenSegment> {
    const file = await segments.open();
    const number = segments.finishedCount + 1;
    const pages = createPageWriter(file, number);
    pages.addHeaders(headers.packetsFor(number));
    if (previous !== undefined) pages.add(previous.bytes, 0);
    return { file, pages, sampleCount: 0 };
  }

  async function endSegment(): Promise<void> {
    segment.pages.end();
    await segments.finish(segment.sampleCount);
  }

  async function place(packet: OggPacket, totalSampleCount: number): Promise<void> {
    const packetStart = segments.finishedSampleCount + segment.sampleCount;
    const boundary = segmentEndSample(cut, sampleRateHz, segments.finishedCount);
    const isNearest = boundary <= packetStart + packet.sampleCount / 2;
    const isFull = segment.pages.sizeWith(packet.bytes.length) > limitBytes;
    if (segment.sampleCount > 0 && (isFull || (isNearest && totalSampleCount - boundary >= minRemainder))) {
      await endSegment();
      segment = await startSegment();
    }
    if (segment.pages.sizeWith(packet.bytes.length) > limitBytes) throw segmentLimitUnreachable();
    segment.sampleCount += packet.sampleCount;
    segment.pages.add(packet.bytes, segment.sampleCount);
    previous = packet;
    guardLength(segments.finishedSampleCount + segment.sampleCount);
  }

  for await (const { frames, totalSampleCount } of lookAhead(packets, minRemainder)) {
    for (const packet of frames) {
      // Packets behind the declared end complete nothing.
      if (packet.sampleCount > 0 || previous === undefined) {
        await place(packet, totalSampleCount ?? Number.POSITIVE_INFINITY);
      }
    }
    await segment.file.flush();
  }
  if (segment.sampleCount === 0) throw unsupportedMedia('The Ogg stream holds no Vorbis audio.');
  await endSegment();
  return segments.result(reader.position);
}
