/** What goes into a decoder that reads a whole source, so that every build of ffmpeg makes the same of it. */
import { createReadStream } from 'node:fs';
import { withSilentFrame } from '../asf/asf-last-frame.ts';
import type { EndTrim } from '../trim/end-trim.ts';
import { createOggPageFilter } from '../trim/ogg-page-filter.ts';
import type { FedSource } from './decode.ts';
import type { ProbedSource } from './probed-source.ts';
import type { SourceFile } from './source-file.ts';

interface DecodableInput {
  readonly input: SourceFile | FedSource;
  /** How many samples are decoded beyond the end, by what the pages say; to be asked when the input has been read. */
  surplusSamples(): number;
}

const READ_BYTES = 256 * 1024;

export function decodableInput(
  source: SourceFile | FedSource,
  { keepsLastFrame }: Pick<ProbedSource, 'keepsLastFrame'>,
): DecodableInput {
  const { container, sizeBytes } = source;
  if (container === 'ogg') {
    const { bytes, surplusSamples } = createOggPageFilter(chunksOf(source));
    return { input: { container, bytes, sizeBytes }, surplusSamples };
  }
  if (container === 'asf' && keepsLastFrame === true) {
    const bytes = withSilentFrame(chunksOf(source));
    return { input: { container, bytes, sizeBytes }, surplusSamples: () => 0 };
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
