/** What goes into a decoder that reads a whole source, so that every build of ffmpeg makes the same of it. */
import { createReadStream } from 'node:fs';
import type { AudibleEnd } from './audible-end.ts';
import type { FedSource } from './decode.ts';
import { createOggSieve } from './ogg-sieve.ts';
import type { SourceFile } from './source-file.ts';

export interface DecodableInput {
  readonly input: SourceFile | FedSource;
  /** How many samples are decoded beyond the end, by what the pages say; to be asked when the input has been read. */
  surplusSamples(): number;
}

const READ_BYTES = 256 * 1024;

export function decodableInput(source: SourceFile | FedSource): DecodableInput {
  if (source.container !== 'ogg') return { input: source, surplusSamples: () => 0 };
  const chunks =
    'bytes' in source ? source.bytes : createReadStream(source.path, { highWaterMark: READ_BYTES });
  const { bytes, surplusSamples } = createOggSieve(chunks);
  return { input: { container: source.container, bytes, sizeBytes: source.sizeBytes }, surplusSamples };
}

/** The audible samples among those decoded. Where the container's figure explains no excess, the surplus does. */
export async function trimmedCount(
  { audibleEnd }: { readonly audibleEnd: AudibleEnd },
  decodedSamples: number,
  surplusSamples: number,
): Promise<number> {
  const audible = await audibleEnd(decodedSamples);
  return audible < decodedSamples ? audible : Math.max(0, decodedSamples - surplusSamples);
}
