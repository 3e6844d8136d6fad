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
import { createOpusCodec, OPUS_RATE_HZ, withPreSkip } from './opus-headers.ts';
import { packetAt } from './packet-reader.ts';
import { createPageSearch } from './page-search.ts';
import { createPageWriter, type OggPageWriter } from './page-writer.ts';
import { type AudioPage, openOggStream } from './stream-walker.ts';

/**
 * How long decoders need to converge after a jump. RFC 7845 4.6 asks for at least 80 ms, after which the
 * decoded samples still differ audibly in measurements (30 dB); after 400 ms the difference is below 16-bit
 * resolution (80 dB).
 */
const PREROLL_SAMPLES = 19_200;

interface PlacedPacket {
  readonly bytes: Buffer;
  readonly start: number;
}

interface PlacedPage {
  readonly page: AudioPage;
  readonly start: number;
}

interface OpenSegment {
  readonly file: SegmentFile;
  readonly pages: OggPageWriter;
  /** The position where the file's first packet begins. */
  readonly origin: number;
  readonly startSample: number;
}

/**
 * Cuts Ogg Opus by duration exact to the sample, by size between packets. A segment begins at least 400 ms
 * early; its pre-skip hides that, and the position of its last page trims its end. A packet that contains a
 * boundary goes into both files. Lengths are exact. The first samples of a segment may differ from the
 * source's decoding in rounding, because an Opus decoder's state takes long to converge completely.
 *
 * Pages completely inside a segment are passed on; only those around a cut, and those that share a packet
 * with another page, are taken apart. Positions are raw: counted from the source's first packet, its pre-skip
 * included.
 */
export async function splitOpus(
  source: AsyncIterable<Uint8Array>,
  options: CopyOptions,
): Promise<CopyResult> {
  const { cut } = options;
  await using reader = openByteReader(source, options);
  const stream = await openOggStream(reader, createOpusCodec(cut.maxTagBytes));
  const { headers } = stream;
  await using segments = createSegmentSequence(options, {
    extension: 'opus',
    contentType: 'audio/ogg',
    sampleRateHz: OPUS_RATE_HZ,
  });

  const limitBytes = cut.maxSegmentBytes;
  const minRemainder = cut.minRemainderSamples(OPUS_RATE_HZ);
  const guardLength = createLengthGuard(options.maxSourceDurationMs, OPUS_RATE_HZ);
  const search = options.sparseFile && createPageSearch(options.sparseFile, stream);
  let position = 0;
  /**
   * Reaches back far enough for a segment that starts at `position`; the last page may not be fully placed
   * yet.
   */
  let recent: PlacedPage[] = [];
  let boundary = headers.preSkip + cut.endSample(OPUS_RATE_HZ, 0);
  let segment = startSegment(headers.preSkip);

  function startSegment(startSample: number): OpenSegment {
    const file = segments.open();
    const number = segments.finishedCount + 1;
    const pages = createPageWriter(file, number);
    const placed = recent.flatMap(placedPackets).filter(({ start }) => start < position);
    const first = placed.findLastIndex(({ start }) => start <= startSample - PREROLL_SAMPLES);
    const preroll = placed.slice(Math.max(0, first));
    const origin = preroll[0]?.start ?? position;
    pages.addHeaders([
      withPreSkip(headers.identification, startSample - origin),
      headers.commentFor(number, tagsAt(options, segments.finishedCount)),
    ]);
    for (const [index, packet] of preroll.entries()) {
      pages.add(packet.bytes, (preroll[index + 1]?.start ?? position) - origin);
    }
    return { file, pages, origin, startSample };
  }

  async function endSegment(endSample: number): Promise<void> {
    segment.pages.end();
    await segments.finish(endSample - segment.startSample);
  }

  async function cutAt(sample: number): Promise<void> {
    await endSegment(sample);
    boundary = headers.preSkip + cut.endSample(OPUS_RATE_HZ, segments.finishedCount);
    segment = startSegment(sample);
  }

  function isInside(page: AudioPage): boolean {
    return (
      page.isSelfContained &&
      !page.isTrimmed &&
      position + page.sampleCount <= boundary &&
      segment.pages.sizeWithPage(page.page) <= limitBytes
    );
  }

  function passThrough(page: AudioPage): void {
    position += page.sampleCount;
    segment.pages.addPage(page.page, position - segment.origin);
    guardLength(position - headers.preSkip);
  }

  async function place(packet: Buffer, sampleCount: number, totalSampleCount: number): Promise<void> {
    const packetEnd = position + sampleCount;
    if (segment.pages.sizeWith(packet.length) > limitBytes) {
      if (position <= segment.startSample) throw segmentLimitUnreachable();
      await cutAt(position);
      if (segment.pages.sizeWith(packet.length) > limitBytes) throw segmentLimitUnreachable();
    }
    while (boundary < packetEnd && totalSampleCount - boundary >= minRemainder) {
      if (boundary > position) segment.pages.add(packet, boundary - segment.origin);
      await cutAt(boundary);
    }
    segment.pages.add(packet, packetEnd - segment.origin);
    position = packetEnd;
    guardLength(position - headers.preSkip);
  }

  /** Keeps what a segment that starts at `position` needs from before it. */
  function forget(): void {
    const first = recent.findLastIndex(({ start }) => start <= position - PREROLL_SAMPLES);
    if (first > 0) recent = recent.slice(first);
  }

  /**
   * Walks to the end of the source, or to where pages may be skipped; returns the place to continue after.
   */
  async function walk(pages: AsyncIterable<readonly AudioPage[]>): Promise<SourcePlace | undefined> {
    const passed = position;
    const batches = lookAhead(pages, minRemainder);
    for await (const { frames, totalSampleCount = Number.POSITIVE_INFINITY } of batches) {
      for (const page of frames) {
        forget();
        recent.push({ page, start: position });
        if (isInside(page)) {
          passThrough(page);
          continue;
        }
        for (const [index, sampleCount] of page.sampleCounts.entries()) {
          // Packets after the declared end complete no samples.
          if (sampleCount === 0) continue;
          await place(packetAt(page, index), sampleCount, passed + totalSampleCount);
        }
      }
      segment.file.flush();
      segment.pages.detach();
      reader.releaseBefore(recent[0]?.page.page.start ?? 0);
      const next = await nextNeeded();
      if (next !== undefined) return next;
    }
    return undefined;
  }

  async function nextNeeded(): Promise<SourcePlace | undefined> {
    const wantedFrom = search && nextWantedStart(cut, OPUS_RATE_HZ, segments.finishedCount);
    if (search === undefined || wantedFrom === undefined) return undefined;
    const neededFrom = headers.preSkip + wantedFrom - PREROLL_SAMPLES;
    return await search.before(neededFrom, { position: reader.position, sample: position });
  }

  let next = await walk(stream.pages);
  while (next !== undefined) {
    position = next.sample;
    recent = [];
    await reader.skip(next.position - reader.position);
    reader.releaseBefore(next.position);
    next = await walk((await stream.resume()).pages);
  }
  if (position <= segment.startSample) throw unsupportedMedia('The source holds no audible sample.');
  await endSegment(position);
  return segments.result(reader.position);
}

function placedPackets({ page, start }: PlacedPage): PlacedPacket[] {
  const packets: PlacedPacket[] = [];
  let next = start;
  for (const [index, sampleCount] of page.sampleCounts.entries()) {
    if (sampleCount > 0) packets.push({ bytes: packetAt(page, index), start: next });
    next += sampleCount;
  }
  return packets;
}
