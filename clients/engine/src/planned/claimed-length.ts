/**
 * The length that an mp3 or an Ogg states, in the samples that copying it counts. A plan can use it instead
 * of a walk that determines the length. It is only a claim: the pass that copies counts the actual samples
 * (`copy-passes.ts`), and nothing is handed out before. It is not used for wav and m4a, whose walk reads
 * almost nothing, and for FLAC, whose copies take so long that segments are better handed out one by one.
 */
import { bytesOfFile } from '../convert/input/source-bytes.ts';
import { readRange, type SourceFile } from '../convert/input/source-file.ts';
import { lastGranule } from '../convert/trim/end-trim.ts';
import { CopyNotPossibleError } from '../copy/copy-splitter.ts';
import { declaredSamples } from '../copy/mp3/info-frame.ts';
import { readMp3Head } from '../copy/mp3/walker.ts';
import { OPUS_RATE_HZ } from '../copy/ogg/opus-headers.ts';
import { openByteReader } from '../copy/source/byte-reader.ts';
import { MediaError } from '../media-error.ts';
import { createLocalFileReader } from '../source/local-file.ts';
import type { PlannedSource } from './planned-source.ts';

export interface SourceLength {
  readonly sampleCount: number;
  readonly sampleRateHz: number;
  readonly isEstimate?: true;
}

/** Undefined if the source states none. */
export async function claimedLength(
  { sniffed: { container, codec }, file }: PlannedSource,
  signal: AbortSignal,
): Promise<SourceLength | undefined> {
  try {
    const claim =
      container === 'mp3'
        ? await mp3Length(file, signal)
        : container === 'ogg'
          ? await oggLength(codec, file)
          : undefined;
    return claim !== undefined && claim.sampleCount > 0 && claim.sampleRateHz > 0 ? claim : undefined;
  } catch (error) {
    // If the head is invalid, the walk will report it.
    if (error instanceof MediaError || error instanceof CopyNotPossibleError) return undefined;
    throw error;
  }
}

async function mp3Length(file: SourceFile, signal: AbortSignal): Promise<SourceLength | undefined> {
  const { chunks, memory } = createLocalFileReader(file);
  const source = chunks();
  try {
    await using reader = openByteReader(source, { signal, memory, onBytes: () => undefined });
    const { header, info } = await readMp3Head(reader, 0);
    const sampleCount = info && declaredSamples(info, header);
    return sampleCount === undefined ? undefined : { sampleCount, sampleRateHz: header.sampleRateHz };
  } finally {
    await source.return(undefined);
  }
}

/**
 * From the last page, for a stream that counts from 0 and whose first page holds one packet, as is usual. A
 * walk over a file with holes reads little more than that.
 */
async function oggLength(codec: string | undefined, file: SourceFile): Promise<SourceLength | undefined> {
  if (file.absent !== undefined) return undefined;
  const granule = await lastGranule(bytesOfFile(file));
  const head = await readRange(file.path, 0, OGG_HEAD_BYTES);
  if (granule === undefined || head.length < OGG_HEAD_BYTES || head.readUInt8(OGG_SEGMENTS_AT) !== 1)
    return undefined;
  if (codec === 'opus')
    return { sampleCount: granule - head.readUInt16LE(PRE_SKIP_AT), sampleRateHz: OPUS_RATE_HZ };
  if (codec === 'vorbis') return { sampleCount: granule, sampleRateHz: head.readUInt32LE(VORBIS_RATE_AT) };
  return undefined;
}

/** RFC 3533 section 6: a page's header, with one segment. */
const OGG_SEGMENTS_AT = 26;
const OGG_PACKET_AT = 28;
/** RFC 7845 section 5.1. */
const PRE_SKIP_AT = OGG_PACKET_AT + 10;
/** Vorbis I specification 4.2.2. */
const VORBIS_RATE_AT = OGG_PACKET_AT + 12;
const OGG_HEAD_BYTES = VORBIS_RATE_AT + 4;
