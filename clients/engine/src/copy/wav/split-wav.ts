import { MIN_REMAINDER_SECONDS } from '../../cuts/cut.ts';
import { createLengthGuard } from '../../length-guard.ts';
import { segmentLimitUnreachable, unsupportedMedia } from '../../media-error.ts';
import type { CopyOptions, CopyResult } from '../copy-contract.ts';
import type { SegmentFile } from '../segments/segment-file.ts';
import { createSegmentSequence } from '../segments/segment-sequence.ts';
import { openByteReader } from '../source/byte-reader.ts';
import { tagsAt } from '../tags/segment-tags.ts';
import { createChunkRetagger } from './retag.ts';
import { createSampleReader } from './sample-reader.ts';
import { createSegmentHeader, type SegmentHeaderPlan } from './segment-header.ts';
import { readWaveHead } from './wave-header.ts';

const MAX_RIFF_BYTES = 0xffffffff;

/** Cuts uncompressed WAVE exact to the sample; rate, channels and sample format stay the same. */
export async function splitWav(source: AsyncIterable<Uint8Array>, options: CopyOptions): Promise<CopyResult> {
  const { cut } = options;
  await using reader = openByteReader(source, options);
  const head = await readWaveHead(reader, options.withoutTags ? 0 : cut.maxTagBytes);
  options.onCommitted?.();
  const { sampleRateHz, blockAlignBytes } = head;
  await using segments = createSegmentSequence(options, {
    extension: 'wav',
    contentType: 'audio/wav',
    sampleRateHz,
  });

  const plan: SegmentHeaderPlan = { head, mayNeed64Bit: largestSegmentBytes() > MAX_RIFF_BYTES };
  const guardLength = createLengthGuard(options.maxSourceDurationMs, sampleRateHz);
  const samples = createSampleReader(reader, head);
  // The minimum that must follow a cut: one sample when cutting by size.
  const minFollowing = cut.isTimed ? Math.max(1, cut.minRemainderSamples(sampleRateHz)) : 1;

  function largestSegmentBytes(): number {
    const seconds = cut.maxSegmentSeconds + MIN_REMAINDER_SECONDS;
    // A mebibyte is enough for the header and the segment's own tags, in addition to the source's tags.
    const bytes = seconds * sampleRateHz * blockAlignBytes + head.tags.length + 1024 * 1024;
    return Math.min(bytes, cut.maxSegmentBytes);
  }

  const retag = createChunkRetagger(head.tags);
  function planFor(index: number): SegmentHeaderPlan {
    const tags = tagsAt(options, index);
    return tags === undefined ? plan : { ...plan, head: { ...head, tags: retag(tags) } };
  }

  async function copy(file: SegmentFile, sampleCount: number): Promise<number> {
    let copied = 0;
    if (file.count !== undefined) {
      copied = await samples.pass(sampleCount);
      file.count(copied * blockAlignBytes);
      reader.releaseBefore(reader.position);
      guardLength(segments.finishedSampleCount + copied);
      return copied;
    }
    while (copied < sampleCount) {
      const count = Math.min(await samples.ready(1), sampleCount - copied);
      if (count === 0) break;
      file.append(samples.take(count));
      file.flush();
      reader.releaseBefore(reader.position);
      copied += count;
      guardLength(segments.finishedSampleCount + copied);
    }
    return copied;
  }

  if ((await samples.ready(1)) === 0) throw unsupportedMedia('The WAVE file holds no samples.');
  let following = 1;
  while (following > 0) {
    const ownPlan = planFor(segments.finishedCount);
    const header = createSegmentHeader(ownPlan, 0);
    const maxSamplesByBytes = samplesThatFit(cut.maxSegmentBytes - header.length, blockAlignBytes);
    if (maxSamplesByBytes < 1) throw segmentLimitUnreachable();
    const file = segments.open();
    file.append(header);
    const end = cut.endSample(sampleRateHz, segments.finishedCount);
    let sampleCount = await copy(file, Math.min(end - segments.finishedSampleCount, maxSamplesByBytes));
    following = await samples.ready(minFollowing);
    if (following < minFollowing) {
      sampleCount += await copy(file, following);
      following = 0;
    }
    if ((sampleCount * blockAlignBytes) % 2 === 1) file.append(Buffer.alloc(1));
    file.overwrite(0, createSegmentHeader(ownPlan, sampleCount));
    await segments.finish(sampleCount);
  }
  await reader.drain();
  return await segments.result(reader.position);
}

/** The number of samples whose bytes, padded to an even number, fit into `byteCount`. */
function samplesThatFit(byteCount: number, blockAlignBytes: number): number {
  const sampleCount = Math.floor(byteCount / blockAlignBytes);
  const dataBytes = sampleCount * blockAlignBytes;
  return dataBytes % 2 === 1 && dataBytes + 1 > byteCount ? sampleCount - 1 : sampleCount;
}
