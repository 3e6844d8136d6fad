import { nextWantedStart } from '../../cuts/cut-rule.ts';
import { createLengthGuard } from '../../length-guard.ts';
import { segmentLimitUnreachable, unsupportedMedia } from '../../media-error.ts';
import type { CopyOptions, CopyResult } from '../copy-contract.ts';
import type { SegmentFile } from '../segments/segment-file.ts';
import { createSegmentSequence } from '../segments/segment-sequence.ts';
import { openByteReader } from '../source/byte-reader.ts';
import { lookAhead } from '../source/look-ahead.ts';
import type { SourcePlace } from '../source/place-search.ts';
import { tagsAt } from '../tags/segment-tags.ts';
import { packetAt } from './packet-reader.ts';
import { createPageSearch } from './page-search.ts';
import { createPageWriter, type OggPageWriter } from './page-writer.ts';
import { type AudioPage, openOggStream } from './stream-walker.ts';
import { createVorbisCodec, MAX_BLOCK_SAMPLES } from './vorbis-headers.ts';

interface OpenSegment {
  readonly file: SegmentFile;
  readonly pages: OggPageWriter;
  sampleCount: number;
}

/**
 * Cuts Ogg Vorbis between packets; by duration, where a packet ends nearest to each boundary. A segment
 * begins with the packet that the previous one ended with: decoders get no samples from a first packet but
 * need it for the next.
 *
 * Pages completely inside a segment are passed on; only those around a cut, and those that share a packet
 * with another page, are taken apart.
 */
export async function splitVorbis(
  source: AsyncIterable<Uint8Array>,
  options: CopyOptions,
): Promise<CopyResult> {
  const { cut } = options;
  await using reader = openByteReader(source, options);
  const stream = await openOggStream(reader, createVorbisCodec(cut.maxTagBytes));
  const { headers } = stream;
  const { sampleRateHz } = headers;
  await using segments = createSegmentSequence(options, {
    extension: 'ogg',
    contentType: 'audio/ogg',
    sampleRateHz,
  });

  const limitBytes = cut.maxSegmentBytes;
  const minRemainder = cut.minRemainderSamples(sampleRateHz);
  const guardLength = createLengthGuard(options.maxSourceDurationMs, sampleRateHz);
  const search = options.sparseFile && createPageSearch(options.sparseFile, stream);
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
      // The repeated packet completes no samples, so it shares the segment's first page with one that does.
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

  /**
   * Walks to the end of the source, or to where pages may be skipped; returns the place to continue after.
   */
  async function walk(pages: AsyncIterable<readonly AudioPage[]>): Promise<SourcePlace | undefined> {
    const passed = position();
    const batches = lookAhead(pages, minRemainder);
    for await (const { frames, totalSampleCount = Number.POSITIVE_INFINITY } of batches) {
      for (const page of frames) {
        if (isInside(page)) {
          passThrough(page);
          continue;
        }
        for (const [index, sampleCount] of page.sampleCounts.entries()) {
          // Packets after the declared end complete no samples.
          if (sampleCount === 0 && previous !== undefined) continue;
          await place(packetAt(page, index), sampleCount, passed + totalSampleCount);
        }
      }
      segment.file.flush();
      segment.pages.detach();
      previous = previous && Buffer.from(previous);
      reader.releaseBefore(frames.at(-1)?.page.start ?? 0);
      const next = await nextNeeded();
      if (next !== undefined) return next;
    }
    return undefined;
  }

  async function nextNeeded(): Promise<SourcePlace | undefined> {
    const wantedFrom = search && nextWantedStart(cut, sampleRateHz, segments.finishedCount);
    if (search === undefined || wantedFrom === undefined) return undefined;
    const here = { position: reader.position, sample: position() };
    return await search.before(wantedFrom - MAX_BLOCK_SAMPLES, here);
  }

  let next = await walk(stream.pages);
  while (next !== undefined) {
    segment.sampleCount += next.sample - position();
    await reader.skip(next.position - reader.position);
    reader.releaseBefore(next.position);
    const { lastPacket, pages } = await stream.resume();
    previous = lastPacket;
    next = await walk(pages);
  }
  if (segment.sampleCount === 0) throw unsupportedMedia('The Ogg stream holds no Vorbis audio.');
  await endSegment();
  return segments.result(reader.position);
}
