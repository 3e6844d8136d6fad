/**
 * The input of a decoder that reads a whole source, prepared so that every build of ffmpeg decodes it
 * equally.
 */
import { createReadStream } from 'node:fs';
import type { FfmpegRuntime } from '../../ffmpeg/run.ts';
import type { EndTrim } from '../trim/end-trim.ts';
import { createOggPageFilter } from '../trim/ogg-page-filter.ts';
import { remuxWma } from '../wma/remux-wma.ts';
import type { ProbedSource } from './probed-source.ts';
import type { SourceFile } from './source-file.ts';
import type { FedSource } from './source-process.ts';

interface DecodableInput {
  readonly input: SourceFile | FedSource;
  /**
   * How many samples are decoded after the end, according to the pages or frames. Call it after the input was
   * read.
   */
  surplusSamples(decodedSamples: number): number;
}

const READ_BYTES = 256 * 1024;

export function decodableInput(
  runtime: FfmpegRuntime,
  source: SourceFile | FedSource,
  { isOldWma }: Pick<ProbedSource, 'isOldWma'>,
): DecodableInput {
  const { container, sizeBytes } = source;
  if (container === 'ogg') {
    const { bytes, surplusSamples } = createOggPageFilter(chunksOf(source));
    return { input: { container, bytes, sizeBytes }, surplusSamples };
  }
  if (isOldWma === true) {
    const { bytes, surplusSamples } = remuxWma(runtime, source);
    return { input: { container: 'matroska', bytes, sizeBytes }, surplusSamples };
  }
  return { input: source, surplusSamples: () => 0 };
}

function chunksOf(source: SourceFile | FedSource): AsyncIterable<Uint8Array> {
  return 'bytes' in source ? source.bytes : createReadStream(source.path, { highWaterMark: READ_BYTES });
}

/**
 * The number of audible samples among the decoded ones. If the container's figure explains no excess,
 * `surplus` is used.
 */
export async function trimmedCount(
  { trimEnd }: { readonly trimEnd: EndTrim },
  decodedSamples: number,
  surplusSamples: number,
): Promise<number> {
  const audible = await trimEnd(decodedSamples);
  return audible < decodedSamples ? audible : Math.max(0, decodedSamples - surplusSamples);
}
