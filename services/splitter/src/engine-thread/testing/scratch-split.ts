/** One split into its own scratch folder, with the engine under test. */
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FinishedSegment, SplitOptions, SplitResult } from '@audiosplit/engine/media';
import { findSandbox } from '@audiosplit/engine/sandbox/find-sandbox';

type Split = (options: SplitOptions) => Promise<SplitResult>;

interface ScratchSplit extends AsyncDisposable {
  readonly outcome: Promise<SplitResult>;
  readonly segments: readonly FinishedSegment[];
  readonly progress: readonly number[];
  /** What a caller sees of the segments, their bytes included, without their paths. */
  describeSegments(): Promise<readonly unknown[]>;
  /** Names in the scratch folder that were not handed out. */
  leftovers(): Promise<readonly string[]>;
}

export async function splitInScratch(
  split: Split,
  settings: Pick<SplitOptions, 'source' | 'ffmpegPath'> & Partial<SplitOptions>,
): Promise<ScratchSplit> {
  const scratchDir = await mkdtemp(join(tmpdir(), 'audiosplit-thread-'));
  const segments: FinishedSegment[] = [];
  const progress: number[] = [];
  const outcome = split({
    cut: { mode: 'duration', segmentDurationSeconds: 2 },
    signal: new AbortController().signal,
    onProgress: (fraction) => progress.push(fraction),
    scratchDir,
    sandbox: await findSandbox(settings.ffmpegPath),
    ...settings,
    async onSegment(segment) {
      segments.push(segment);
      await settings.onSegment?.(segment);
    },
  });
  outcome.catch(() => undefined);
  return {
    outcome,
    segments,
    progress,
    async describeSegments() {
      return Promise.all(
        segments.map(async ({ path, ...rest }) => {
          const sha256 = createHash('sha256').update(await readFile(path));
          return { ...rest, sha256: sha256.digest('hex') };
        }),
      );
    },
    async leftovers() {
      const handedOut = new Set(segments.map(({ path }) => path));
      return (await readdir(scratchDir)).filter((name) => !handedOut.has(join(scratchDir, name)));
    },
    [Symbol.asyncDispose]: () => rm(scratchDir, { recursive: true, force: true }),
  };
}

export async function* inChunks(bytes: Uint8Array, size = 50_000): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; start += size) yield bytes.subarray(start, start + size);
}
