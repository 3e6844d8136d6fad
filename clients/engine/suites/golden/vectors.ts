/** What `vectors.json` holds: sources, and what a split of each must give. */
import { readFile } from 'node:fs/promises';
import type { Cut } from '../../src/cuts/cut.ts';
import type { OutputFormat } from '../../src/formats/formats.ts';
import type { SampleFormat } from './sound.ts';

/**
 * How the sound of the segments is judged.
 * - `lossless`: every decoded sample has the bits that the generator made; hashes are of these.
 * - `copied`: what a decoder makes of the segments is what it makes of the source, bit for bit. Floating-point
 *   decoders round differently from machine to machine, so the source is decoded beside them.
 * - `prerolled`: alike to the ear; the decoder's state at a cut is not quite what it was in the source.
 * - `frames`: the files, joined, are the source's bytes.
 */
export type Judgement = 'lossless' | 'copied' | 'prerolled' | 'frames';

export interface ExpectedSegment {
  readonly startSample: number;
  readonly sampleCount: number;
  /** Of the samples, widened to 32 bits, in hexadecimal. */
  readonly samplesSha256?: string;
  /** With `fileSha256` where the bytes follow from the definition of the format: plain wav. */
  readonly sizeBytes?: number;
  readonly fileSha256?: string;
}

export interface Plan {
  readonly cut: Cut;
  readonly outputFormat?: OutputFormat;
  /** Absent where the ceiling alone is given and frames of any size may fill it. */
  readonly segments?: readonly ExpectedSegment[];
}

export interface Vector {
  readonly name: string;
  readonly file: string;
  readonly sha256: string;
  readonly sampleRateHz: number;
  readonly channelCount: number;
  readonly sampleCount: number;
  readonly judgement: Judgement;
  /** Samples are compared as this. */
  readonly comparedAs: Extract<SampleFormat, 's32le' | 'f32le'>;
  /** How far a cut may lie from where it was asked for, in samples: packets of some formats cannot be parted. */
  readonly cutTolerance: number;
  /** Of all samples, for lossless sources. */
  readonly samplesSha256?: string;
  readonly plans: readonly Plan[];
}

const VECTORS_URL = new URL('vectors.json', import.meta.url);
export const SOURCES_URL = new URL('sources/', import.meta.url);

export async function readVectors(): Promise<readonly Vector[]> {
  return JSON.parse(await readFile(VECTORS_URL, 'utf8')) as readonly Vector[];
}
