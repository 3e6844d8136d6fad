import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createCutRule } from '../../cuts/create-cut-rule.ts';
import type { Cut } from '../../cuts/cut.ts';
import type { PcmFormat } from '../../formats/formats.ts';
import type { FinishedSegment } from '../../media.ts';
import type { SegmentTags } from '../copy-contract.ts';
import {
  type CopyContainer,
  type CopyResult,
  type CopySplitter,
  createCopySplitter,
} from '../copy-splitter.ts';
import { decodeFiles, withScratchDir } from './ffmpeg.ts';
import { inReusedMemory } from './reused-memory.ts';

export interface SplitRun {
  readonly result: CopyResult;
  readonly segments: readonly FinishedSegment[];
  readonly files: readonly Buffer[];
  /** The maximum number of the source's chunks that the splitter held at once. */
  readonly mostChunksHeld: number;
}

interface SplitRunOptions {
  readonly chunkBytes?: (index: number) => number;
  readonly maxSourceDurationMs?: number;
  readonly signal?: AbortSignal;
  readonly tagsOf?: (index: number) => SegmentTags | undefined;
  /** Default: the container's own. */
  readonly split?: CopySplitter;
}

export async function* inChunks(
  source: Uint8Array,
  chunkBytes: (index: number) => number = () => 65_536,
): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (let index = 0; at < source.length; index++) {
    const end = at + Math.max(1, chunkBytes(index));
    yield source.subarray(at, end);
    at = end;
  }
}

const HEADROOM_BYTES = 4_096;

/**
 * Splits `source` into a folder and returns the files' contents; the folder must contain nothing else. Memory
 * that the splitter releases is overwritten.
 */
export function splitBuffer(
  container: CopyContainer,
  source: Uint8Array,
  cut: Cut,
  options: SplitRunOptions = {},
): Promise<SplitRun> {
  return withScratchDir(async (outputDir) => {
    const split = options.split ?? createCopySplitter(container, { audioMd5: true });
    if (split === undefined) throw new Error(`${container} is not copied`);
    const segments: FinishedSegment[] = [];
    const { chunkBytes, signal = new AbortController().signal, ...rest } = options;
    const { chunks, memory, mostLent } = inReusedMemory(inChunks(source, chunkBytes), HEADROOM_BYTES);
    let failure: unknown;
    let result: CopyResult | undefined;
    try {
      result = await split(chunks, {
        ...rest,
        memory,
        cut: createCutRule(cut),
        outputDir,
        signal,
        onSegment: async (segment) => {
          segments.push(segment);
        },
        onBytes: () => undefined,
      });
    } catch (error) {
      failure = error;
    }
    const left = (await readdir(outputDir)).sort();
    const announced = segments.map((segment) => basename(segment.path));
    if (left.join() !== announced.join()) throw new Error(`left behind: ${left} against ${announced}`);
    if (result === undefined) throw failure;
    const files = await Promise.all(segments.map((segment) => readFile(segment.path)));
    return { result, segments, files, mostChunksHeld: mostLent() };
  });
}

/** Decodes each file on its own. */
export function decodeAll(
  files: readonly Buffer[],
  extension: string,
  format: PcmFormat,
  inputOptions?: readonly string[],
): Promise<Buffer[]> {
  return withScratchDir(async (dir) => {
    const paths = files.map((_, index) => join(dir, `${index}.${extension}`));
    await Promise.all(files.map((bytes, index) => writeFile(paths[index] ?? '', bytes)));
    return decodeFiles(paths, format, inputOptions);
  });
}
