/** Where hostile inputs are made and split: a folder with traps in it, and a scratch folder for each split. */
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { FinishedSegment, SplitResult } from '../../src/media.ts';
import { findSandbox } from '../../src/sandbox/find-sandbox.ts';
import { splitAudio } from '../../src/split-audio.ts';
import { createAudioSamples, sound } from '../../src/testing/audio-samples.ts';
import type { Material, Request } from './hostile-input.ts';
import { setTraps } from './traps.ts';

const SECONDS = 6;
/** A hang is a failure; a slow machine is none. */
const HANG_MS = 60_000;
const CHUNK_BYTES = 50_000;

export interface Trial {
  /** How it ended, if not well. */
  readonly error: unknown;
  readonly result: SplitResult | undefined;
  readonly segments: readonly SegmentWithBytes[];
  /** What was left in the scratch folder besides the segments. */
  readonly leftovers: readonly string[];
}

interface SegmentWithBytes extends FinishedSegment {
  readonly bytes: Buffer;
}

export interface Lab extends AsyncDisposable {
  readonly material: Material;
  split(source: Uint8Array, request: Request): Promise<Trial>;
}

export async function openLab(): Promise<Lab> {
  await using opening = new AsyncDisposableStack();
  const samples = opening.use(await createAudioSamples());
  const canary = await samples.make('canary-source.mp3', sound(44_100, 9, 'stereo'));
  const traps = opening.use(await setTraps(samples.dir, canary));
  const made = new Map<string, Promise<Buffer>>();
  const open = opening.move();
  return {
    material: {
      samples,
      traps,
      audio(name, ...outputArgs) {
        const making =
          made.get(name) ??
          samples.make(name, sound(44_100, SECONDS, 'stereo'), ...outputArgs).then((path) => readFile(path));
        made.set(name, making);
        return making;
      },
    },
    async split(source, request) {
      const scratchDir = join(samples.dir, 'scratch');
      await mkdir(scratchDir);
      const segments: SegmentWithBytes[] = [];
      let result: SplitResult | undefined;
      let error: unknown;
      try {
        result = await splitAudio({
          source: inChunks(source),
          cut: { mode: 'duration', segmentDurationSeconds: 2 },
          ...(request === 'own' ? {} : { outputFormat: request }),
          scratchDir,
          ffmpegPath: samples.ffmpegPath,
          sandbox: await findSandbox(samples.ffmpegPath),
          signal: AbortSignal.timeout(HANG_MS),
          onProgress: () => undefined,
          onSegment: async (segment) => {
            segments.push({ ...segment, bytes: await readFile(segment.path) });
          },
        });
      } catch (thrown) {
        error = thrown;
      }
      const handedOut = new Set(segments.map(({ path }) => basename(path)));
      const leftovers = (await readdir(scratchDir)).filter((name) => !handedOut.has(name));
      await rm(scratchDir, { recursive: true });
      return { error, result, segments, leftovers };
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

export async function* inChunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}
