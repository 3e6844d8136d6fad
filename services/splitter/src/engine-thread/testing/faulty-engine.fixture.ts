/** An engine thread whose engine fails if `ffmpegPath` names a fault, and is the real one otherwise. */
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FinishedSegment, SplitOptions, SplitResult } from '@audiosplit/engine/media';
import { splitAudio } from '@audiosplit/engine/split-audio';
import { serveSplits } from '../serve-splits.ts';

export const FAULTS = [
  'spin',
  'spin-with-child',
  'fill-heap',
  'fill-buffers',
  'exit',
  'throw-in-timer',
  'reject-unhandled',
  'throw-unforeseen',
  'ignore-abort',
  'wait-in-system-call',
] as const;
export type Fault = (typeof FAULTS)[number];

/**
 * What the engine retains of each completed split; its segment count is then the number of splits that its
 * thread has completed.
 */
const KEEPERS = ['keep-nothing', 'keep-heap', 'keep-buffers'] as const;
export type Keeper = (typeof KEEPERS)[number];

const kept: unknown[] = [];
let endedSplits = 0;

serveSplits(async (options) => {
  const keeper = KEEPERS.find((name) => name === options.ffmpegPath);
  if (keeper !== undefined) return keep(keeper);
  const fault = FAULTS.find((name) => name === options.ffmpegPath);
  return fault === undefined ? splitAudio(options) : goWrong(fault, options);
});

/** Each makes some 4 MB. */
function keep(keeper: Keeper): SplitResult {
  endedSplits += 1;
  const inHeap = Array.from({ length: 100_000 }, (_, n) => ({ n }));
  const inBuffers = new Uint8Array(4 * 1024 * 1024);
  if (keeper === 'keep-heap') kept.push(inHeap);
  if (keeper === 'keep-buffers') kept.push(inBuffers);
  return {
    outputFormat: 'mp3',
    segmentCount: endedSplits,
    sourceSampleCount: 1,
    sourceSampleRateHz: 1,
    sourceSizeBytes: 1,
  };
}

async function goWrong(fault: Fault, options: SplitOptions): Promise<SplitResult> {
  const { scratchDir, onSegment } = options;
  await mkdir(join(scratchDir, '.work'));
  await writeFile(join(scratchDir, '.work', 'source'), 'half of it');
  const segment = await segmentIn(scratchDir);
  await onSegment(segment);
  await writeFile(join(scratchDir, 'second.mp3'), 'not finished');
  switch (fault) {
    case 'spin':
      return spin();
    case 'spin-with-child': {
      const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
      await writeFile(join(scratchDir, 'pid'), String(child.pid));
      await onSegment({ ...segment, index: 1, path: join(scratchDir, 'pid') });
      return spin();
    }
    case 'fill-heap': {
      const hoard: unknown[] = [];
      for (;;) {
        hoard.push(Array.from({ length: 10_000 }, (_, n) => ({ n })));
        // Otherwise a slow machine is considered hung before its heap is full.
        await sleep(1);
      }
    }
    case 'fill-buffers': {
      const hoard: Uint8Array[] = [];
      for (;;) {
        hoard.push(new Uint8Array(1024 * 1024));
        await sleep(1);
      }
    }
    case 'exit':
      return process.exit(3);
    case 'throw-in-timer':
      setTimeout(() => {
        throw new Error('thrown in a timer');
      });
      return never();
    case 'reject-unhandled':
      void Promise.reject(new Error('rejected by nobody'));
      return never();
    case 'throw-unforeseen':
      throw new TypeError('cannot read properties of a bug');
    case 'wait-in-system-call': {
      const pipe = join(scratchDir, 'pipe');
      execFileSync('mkfifo', [pipe]);
      await onSegment({ ...segment, index: 1, path: pipe });
      // Blocks until something is written to it.
      readFileSync(pipe);
      return never();
    }
    case 'ignore-abort':
      return never();
    default:
      return fault satisfies never;
  }
}

function spin(): never {
  for (;;) Math.random();
}

function never<T>(): Promise<T> {
  return new Promise(() => undefined);
}

async function segmentIn(scratchDir: string): Promise<FinishedSegment> {
  const path = join(scratchDir, 'first.mp3');
  await writeFile(path, 'segment');
  return {
    index: 0,
    path,
    extension: 'mp3',
    contentType: 'audio/mpeg',
    startSample: 0,
    sampleCount: 1,
    sampleRateHz: 1,
    sizeBytes: 7,
  };
}
