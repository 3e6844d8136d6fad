import type { CopyContainer } from './copy/copy-contract.ts';
import { type CopySplitter, createCopySplitter } from './copy/copy-splitter.ts';
import type { OutputFormat } from './formats/formats.ts';
import { ownCopy } from './formats/own-format.ts';
import type { SplitOptions } from './media.ts';
import type { SniffedSource } from './sniff/sniff.ts';

export interface CopyRoute {
  readonly splitter: CopySplitter;
  readonly outputFormat: OutputFormat;
  /** A cut may be up to half a packet away from the planned place. */
  readonly isCutBetweenPackets: boolean;
}

const CUT_BETWEEN_PACKETS: ReadonlySet<CopyContainer> = new Set(['adts', 'ogg-vorbis', 'matroska-vorbis']);

/** The copy splitter for a source that keeps its format; undefined if there is none. */
export function copyRoute(
  sniffed: SniffedSource,
  { outputFormat: wanted, audioMd5 = false }: Pick<SplitOptions, 'outputFormat' | 'audioMd5'>,
): CopyRoute | undefined {
  const own = ownCopy(sniffed);
  if (own === undefined) return undefined;
  const { container, encoding, outputFormat } = own;
  if (wanted !== undefined) {
    if (wanted !== outputFormat) return undefined;
    // If the format is requested by name, ogg means Vorbis and aac means m4a.
    if (encoding === 'opus' || container === 'adts') return undefined;
  }
  const splitter = createCopySplitter(container, { audioMd5 });
  const isCutBetweenPackets = CUT_BETWEEN_PACKETS.has(container);
  return splitter && { splitter, outputFormat, isCutBetweenPackets };
}
