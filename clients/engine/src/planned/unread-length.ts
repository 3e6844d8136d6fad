/**
 * The length of a source that is not fetched to its end, because nothing after the last piece is needed. An
 * mp3's claim is used if its count of bytes matches the file; for all others the length is estimated. No cut
 * depends on it: if a pass reads to the end, it counts the length (`copy-passes.ts`).
 */
import type { SourceFile } from '../convert/input/source-file.ts';
import { ADTS_SYNTAX } from '../copy/adts/split-adts.ts';
import { CopyNotPossibleError } from '../copy/copy-splitter.ts';
import { findFirstFrame } from '../copy/frames/frame-sync.ts';
import { declaredSamples } from '../copy/mp3/info-frame.ts';
import { MP3_SYNTAX, readMp3Head } from '../copy/mp3/walker.ts';
import { openByteReader } from '../copy/source/byte-reader.ts';
import { foreignTagBytes } from '../copy/tags/foreign-tags.ts';
import { readLeadingTag } from '../copy/tags/id3v2.ts';
import { MediaError } from '../media-error.ts';
import { createLocalFileReader } from '../source/local-file.ts';
import { readPart } from '../source/read-part.ts';
import type { SourceLength } from './claimed-length.ts';
import { estimateSamples } from './estimate-samples.ts';
import type { PlannedSource } from './planned-source.ts';

/** The bytes needed to recognise a tag. */
const TAG_HEAD_BYTES = 32;

/** Undefined if it is unknown. */
export async function unreadLength(
  { sniffed, file }: PlannedSource,
  signal: AbortSignal,
): Promise<SourceLength | undefined> {
  const { chunks, memory } = createLocalFileReader(file);
  try {
    await using reader = openByteReader(chunks(), { signal, memory, onBytes: () => undefined });
    if (sniffed.container === 'mp3') {
      const { header, info, statedEnd } = await readMp3Head(reader, 0);
      const { sampleRateHz } = header;
      const sampleCount = info && declaredSamples(info, header);
      if (sampleCount !== undefined && sampleCount > 0 && (await isEndOfAudio(file, statedEnd)))
        return { sampleCount, sampleRateHz };
      return asLength(
        await estimateSamples(file, { syntax: MP3_SYNTAX, start: reader.position, signal }),
        sampleRateHz,
      );
    }
    await readLeadingTag(reader, 0);
    const first = await findFirstFrame(reader, ADTS_SYNTAX);
    if (first === undefined) return undefined;
    return asLength(
      await estimateSamples(file, { syntax: ADTS_SYNTAX, start: reader.position, signal }),
      first.header.sampleRateHz,
    );
  } catch (error) {
    // If the head is invalid, the walk will report it.
    if (error instanceof MediaError || error instanceof CopyNotPossibleError) return undefined;
    throw error;
  }
}

function asLength(sampleCount: number | undefined, sampleRateHz: number): SourceLength | undefined {
  return sampleCount === undefined ? undefined : { sampleCount, sampleRateHz, isEstimate: true };
}

/** Tags may follow. */
async function isEndOfAudio(file: SourceFile, position: number | undefined): Promise<boolean> {
  if (position === undefined) return false;
  if (position >= file.sizeBytes) return position === file.sizeBytes;
  return foreignTagBytes(await readPart(file, position, TAG_HEAD_BYTES), 0) > 0;
}
