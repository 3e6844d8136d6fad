/** What goes into a decoder that reads a whole source, so that every build of ffmpeg makes the same of it. */
import { createReadStream } from 'node:fs';
import type { FfmpegRuntime } from '../../ffmpeg/run.ts';
import type { EndTrim } from '../trim/end-trim.ts';
import { createOggPageFilter } from '../trim/ogg-page-filter.ts';
import { remuxWithSilentFrame } from '../wma/last-frame.ts';
import type { ProbedSource } from './probed-source.ts';
import type { SourceFile } from './source-file.ts';
import type { FedSource } from './source-process.ts';

interface DecodableInput {
  readonly input: SourceFile | FedSource;
  /** How many samples are decoded beyond the end, by what the pages say; to be asked when the input has been read. */
  surplusSamples(): number;
}

const READ_BYTES = 256 * 1024;

export function decodableInput(
  runtime: FfmpegRuntime,
  source: SourceFile | FedSource,
  { keepsLastFrame }: Pick<ProbedSource, 'keepsLastFrame'>,
): DecodableInput {
  const { container, sizeBytes } = source;
  if (container === 'ogg') {
    const { bytes, surplusSamples } = createOggPageFilter(chunksOf(source));
    return { input: { container, bytes, sizeBytes }, surplusSamples };
  }
  if (keepsLastFrame === true) {
    const bytes = remuxWithSilentFrame(runtime, source);
    return { input: { container: 'matroska', bytes, sizeBytes }, surplusSamples: () => 0 };
  }
  return { input: source, surplusSamples: () => 0 };
}

function chunksOf(source: SourceFile | FedSource): AsyncIterable<Uint8Array> {
  return 'bytes' in source ? source.bytes : createReadStream(source.path, { highWaterMark: READ_BYTES });
}

/** The audible samples among those decoded. Where the container's figure explains no excess, the surplus does. */
export async function trimmedCount(
  { trimEnd }: { readonly trimEnd: EndTrim },
  decodedSamples: number,
  surplusSamples: number,
): Promise<number> {
  const audible = await trimEnd(decodedSamples);
  return audible < decodedSamples ? audible : Math.max(0, decodedSamples - surplusSamples);
}
