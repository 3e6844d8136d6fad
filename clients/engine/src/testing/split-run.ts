import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveFfmpegPath } from '../ffmpeg/binary.ts';
import type { FinishedSegment, SplitOptions, SplitResult } from '../media.ts';
import { findSandbox } from '../sandbox/find-sandbox.ts';
import { splitAudio } from '../split-audio.ts';

export interface SplitRun extends AsyncDisposable {
  readonly scratchDir: string;
  readonly segments: readonly FinishedSegment[];
  readonly progress: readonly number[];
  readonly outcome: Promise<SplitResult>;
  /** Files in the scratch folder that were not handed out. */
  leftovers(): Promise<readonly string[]>;
}

type Settings = Pick<SplitOptions, 'cut'> & Partial<SplitOptions>;

/** Starts a split of bytes in memory into its own scratch folder. */
export async function startSplit(source: Uint8Array, settings: Settings): Promise<SplitRun> {
  const { ffmpegPath = await resolveFfmpegPath(process.env.FFMPEG_PATH) } = settings;
  const scratchDir = await mkdtemp(join(tmpdir(), 'audiosplit-scratch-'));
  const segments: FinishedSegment[] = [];
  const progress: number[] = [];
  const outcome = splitAudio({
    source: inChunks(source, 50_000),
    sourceSizeBytes: source.byteLength,
    scratchDir,
    signal: new AbortController().signal,
    onProgress: (fraction) => progress.push(fraction),
    sandbox: await findSandbox(ffmpegPath),
    ...settings,
    ffmpegPath,
    onSegment: async (segment) => {
      segments.push(segment);
      await settings.onSegment?.(segment);
    },
  });
  outcome.catch(() => undefined);
  return {
    scratchDir,
    segments,
    progress,
    outcome,
    async leftovers() {
      const handedOut = new Set(segments.map((segment) => segment.path));
      return (await readdir(scratchDir)).filter((name) => !handedOut.has(join(scratchDir, name)));
    },
    [Symbol.asyncDispose]: () => rm(scratchDir, { recursive: true, force: true }),
  };
}

async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; start += size) yield bytes.subarray(start, start + size);
}
