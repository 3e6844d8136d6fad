import { createLengthGuard } from '../../length-guard.ts';
import { segmentLimitUnreachable, unsupportedMedia } from '../../media-error.ts';
import type { CopyOptions, CopyResult } from '../copy-contract.ts';
import type { SegmentFile } from '../segments/segment-file.ts';
import { createSegmentSequence } from '../segments/segment-sequence.ts';
import { openByteReader } from '../source/byte-reader.ts';
import { lookAhead } from '../source/look-ahead.ts';
import { tagsAt } from '../tags/segment-tags.ts';
import { packetAt } from './packet-reader.ts';
import { createPageWriter, type OggPageWriter } from './page-writer.ts';
import { type AudioPage, openOggStream } from './stream-walker.ts';
import { createVorbisCodec } from './vorbis-headers.ts';

interface OpenSegment {
  readonly file: SegmentFile;
  readonly pages: OggPageWriter;
  sampleCount: number;
}

/**
 * Cuts Ogg Vorbis between packets, by duration where one ends nearest to each boundary. A segment begins with the
 * packet that the one before ended with: decoders get no samples from a first packet but need it for the next.
 *
 * Pages that lie inside a segment as a whole are passed through; only those around a cut, and those that share a
 * packet with another page, are taken apart.
 */
export async function splitVorbis(
  source: AsyncIterable<Uint8Array>,
  options: CopyOptions,
): Promise<CopyResult> {
  const { cut } = options;
  await using reader = openByteReader(source, options);
  const { headers, pages } = await openOggStream(reader, createVorbisCodec(cut.maxTagBytes));
  const { sampleRateHz } = headers;
  await using segments = createSegmentSequence(options, {
    extension: 'ogg',
    contentType: 'audio/ogg',
    sampleRateHz,
  });

  const limitBytes = cut.maxSegmentBytes;
  const minRemainder = cut.minRemainderSamples(sampleRateHz);
  const guardLength = createLengthGuard(options.maxSourceDurationMs, sampleRateHz);
  let previous: Buffer | undefined;
  let segment = startSegment();

  function startSegment(): OpenSegment {
    const file = segments.open();
    const number = segments.finishedCount + 1;
    const pages = createPageWriter(file, number);
    pages.addHeaders(headers.packetsFor(number, tagsAt(options, segments.finishedCount)));
    if (previous !== undefined) pages.add(previous, 0);
    return { file, pages, sampleCount: 0 };
  }

  async function endSegment(): Promise<void> {
    segment.pages.end();
    await segments.finish(segment.sampleCount);
  }

  function position(): number {
    return segments.finishedSampleCount + segment.sampleCount;
  }

  function boundary(): number {
    return cut.endSample(sampleRateHz, segments.finishedCount);
  }

  function isInside(page: AudioPage): boolean {
    return (
      page.isSelfContained &&
      !page.isTrimmed &&
      // The packet carried over completes nothing, so it shares the segment's first page with one that does.
      segment.sampleCount > 0 &&
      position() + page.sampleCount < boundary() &&
      segment.pages.sizeWithPage(page.page) <= limitBytes
    );
  }

  function passThrough(page: AudioPage): void {
    segment.sampleCount += page.sampleCount;
    segment.pages.addPage(page.page, segment.sampleCount);
    previous = packetAt(page, page.ends.length - 1);
    guardLength(position());
  }

  async function place(packet: Buffer, sampleCount: number, totalSampleCount: number): Promise<void> {
    const isNearest = boundary() <= position() + sampleCount / 2;
    const isFull = segment.pages.sizeWith(packet.length) > limitBytes;
    if (segment.sampleCount > 0 && (isFull || (isNearest && totalSampleCount - boundary() >= minRemainder))) {
      await endSegment();
      segment = startSegment();
    }
    if (segment.pages.sizeWith(packet.length) > limitBytes) throw segmentLimitUnreachable();
    segment.sampleCount += sampleCount;
    segment.pages.add(packet, segment.sampleCount);
    previous = packet;
    guardLength(position());
  }

  for await (const { frames, totalSampleCount } of lookAhead(pages, minRemainder)) {
    for (const page of frames) {
      if (isInside(page)) {
        passThrough(page);
        continue;
      }
      for (const [index, sampleCount] of page.sampleCounts.entries()) {
        // Packets behind the declared end complete nothing.
        if (sampleCount === 0 && previous !== undefined) continue;
        await place(packetAt(page, index), sampleCount, totalSampleCount ?? Number.POSITIVE_INFINITY);
      }
    }
    segment.file.flush();
    segment.pages.detach();
    previous = previous && Buffer.from(previous);
    reader.releaseBefore(frames.at(-1)?.page.start ?? 0);
  }
  if (segment.sampleCount === 0) throw unsupportedMedia('The Ogg stream holds no Vorbis audio.');
  await endSegment();
  return segments.result(reader.position);
}
