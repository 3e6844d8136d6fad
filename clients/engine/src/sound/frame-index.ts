/**
 * The positions of a raw stream's frames, by the time they begin: mp3 and ADTS have no other reliable index.
 * It needs one walk over the headers, without decoding; an hour takes some 20 ms. One position per quarter of
 * a second is kept.
 */

import { ADTS_SYNTAX } from '../copy/adts/split-adts.ts';
import { type FrameRun, frameCount, frameOffset } from '../copy/frames/frame-run.ts';
import { findFirstFrame, walkFrames } from '../copy/frames/frame-sync.ts';
import { DECODER_DELAY_SAMPLES } from '../copy/mp3/info-frame.ts';
import { readMp3Head, walkMp3 } from '../copy/mp3/walker.ts';
import { type ByteReader, openByteReader } from '../copy/source/byte-reader.ts';
import { readLeadingTag } from '../copy/tags/id3v2.ts';
import { unsupportedMedia } from '../media-error.ts';
import { createLocalFileReader, type LocalFile } from '../source/local-file.ts';
import { createFrameIndex, type FrameIndex, type FramePlace } from './frame-places.ts';

const PLACES_PER_SECOND = 4;

export type FramedContainer = 'mp3' | 'adts';

/** Throws CopyNotPossibleError, or UNSUPPORTED_MEDIA, if the stream cannot be walked. */
export async function readFrameIndex(
  file: LocalFile,
  container: FramedContainer,
  signal: AbortSignal,
): Promise<FrameIndex> {
  const { chunks, memory } = createLocalFileReader(file);
  await using reader = openByteReader(chunks(), { signal, memory, onBytes: () => undefined });
  const { sampleRateHz, skippedSamples, runs } =
    container === 'mp3' ? await openMp3(reader) : await openAdts(reader);
  const placeSamples = sampleRateHz / PLACES_PER_SECOND;
  const places: FramePlace[] = [];
  let samples = 0;
  let nextPlaceAt = 0;
  let endByte = 0;
  for await (const run of runs) {
    const count = frameCount(run);
    for (let index = 0; index < count; index++) {
      if (samples >= nextPlaceAt) {
        places.push(placeOf(samples, run.windowStart + frameOffset(run, index)));
        nextPlaceAt = samples + placeSamples;
      }
      samples += run.samplesPerFrame;
    }
    endByte = run.windowStart + frameOffset(run, count);
    reader.releaseBefore(endByte);
  }
  places.push(placeOf(samples, endByte));
  return createFrameIndex(places);

  function placeOf(sample: number, byte: number): FramePlace {
    return { seconds: (sample - skippedSamples) / sampleRateHz, byte };
  }
}

interface OpenedStream {
  readonly sampleRateHz: number;
  /** The samples that decoders skip at the beginning. */
  readonly skippedSamples: number;
  readonly runs: AsyncGenerator<FrameRun>;
}

async function openMp3(reader: ByteReader): Promise<OpenedStream> {
  const head = await readMp3Head(reader, 0);
  const delaySamples = head.info?.gapless?.delaySamples;
  return {
    sampleRateHz: head.header.sampleRateHz,
    skippedSamples: delaySamples === undefined ? 0 : delaySamples + DECODER_DELAY_SAMPLES,
    runs: walkMp3(reader, head),
  };
}

async function openAdts(reader: ByteReader): Promise<OpenedStream> {
  await readLeadingTag(reader, 0);
  const first = await findFirstFrame(reader, ADTS_SYNTAX);
  if (first === undefined) throw unsupportedMedia('The source holds no AAC frames.');
  const { sampleRateHz } = first.header;
  return { sampleRateHz, skippedSamples: 0, runs: walkFrames(reader, ADTS_SYNTAX, first) };
}
