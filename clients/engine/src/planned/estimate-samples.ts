/**
 * The approximate number of samples of a stream of frames that is not fetched completely, from the frames at
 * some places spread over the file. It is used for the information about the source; no cut depends on it.
 */
import { CopyNotPossibleError } from '../copy/copy-splitter.ts';
import { frameCount, frameOffset } from '../copy/frames/frame-run.ts';
import { type FrameSyntax, findFirstFrame, walkFrames } from '../copy/frames/frame-sync.ts';
import { openByteReader } from '../copy/source/byte-reader.ts';
import { createLocalFileReader, type LocalFile } from '../source/local-file.ts';

const PLACES = 8;
const PLACE_BYTES = 64 * 1024;

interface EstimateOptions<Header extends { readonly sizeBytes: number }> {
  readonly syntax: FrameSyntax<Header>;
  /** The position of the first frame. */
  readonly start: number;
  readonly signal: AbortSignal;
}

/** Undefined if no frame is found at any of the places. */
export async function estimateSamples<Header extends { readonly sizeBytes: number }>(
  file: LocalFile,
  { syntax, start, signal }: EstimateOptions<Header>,
): Promise<number | undefined> {
  const audioBytes = file.sizeBytes - start;
  let bytes = 0;
  let samples = 0;
  for (let place = 0; place < PLACES; place++) {
    const from = start + Math.floor((audioBytes * place) / PLACES);
    const part = { ...file, sizeBytes: Math.min(file.sizeBytes, from + PLACE_BYTES) };
    const { chunks, memory } = createLocalFileReader(part, from);
    await using reader = openByteReader(chunks(), { signal, memory, onBytes: () => undefined });
    try {
      const first = await findFirstFrame(reader, syntax);
      if (first === undefined) continue;
      for await (const run of walkFrames(reader, syntax, { ...first, junkBytes: 0 })) {
        bytes += frameOffset(run, frameCount(run)) - frameOffset(run, 0);
        samples += frameCount(run) * run.samplesPerFrame;
      }
    } catch (error) {
      if (!(error instanceof CopyNotPossibleError)) throw error;
    }
  }
  return samples === 0 ? undefined : Math.round((audioBytes * samples) / bytes);
}
