/**
 * Measured runs: each in a process and a folder of its own, its outcome checked, its files removed. The engine is
 * run compiled, as images run it.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { median } from '@audiosplit/chassis/testing/latency';
import type { Source } from './sources.ts';
import type { ChildReport, ChildRequest } from './split-child.ts';
import { findFaults, type SplitRequest } from './split-run.ts';
import type { Tools } from './tools.ts';

const run = promisify(execFile);
/** Where tsconfig.json in this folder has it. */
const CHILD_PATH = fileURLToPath(new URL('../dist/bench/bench/split-child.js', import.meta.url));
const COMPILER_PATH = fileURLToPath(import.meta.resolve('typescript/package.json')).replace(
  'package.json',
  'bin/tsc',
);

export interface Bench {
  readonly tools: Tools;
  readonly sources: readonly Source[];
  readonly runs: number;
  /** Where output folders are made. */
  readonly dir: string;
  /** Reports the progress of the run. */
  readonly progress: (line: string) => void;
  /** Faults of the result; if there are any, the speed does not matter. */
  readonly faults: string[];
}

/** One line of the table. */
export interface Row {
  readonly measure: string;
  readonly engine: string;
  readonly reference: string;
  readonly result: string;
  readonly goal: string;
  /** undefined: nothing is asked of this line. */
  readonly isMet: boolean | undefined;
}

/** Compiles what `splitInChild` runs. */
export async function compileEngine(): Promise<void> {
  // A build looks only at the age of the files that a project lists, and this one lists where it begins.
  await run(process.execPath, [COMPILER_PATH, '-b', fileURLToPath(new URL('../../cuts', import.meta.url))]);
  await run(process.execPath, [COMPILER_PATH, '-p', fileURLToPath(new URL('.', import.meta.url))]);
}

export async function withOutputDir<T>(bench: Bench, use: (outputDir: string) => Promise<T>): Promise<T> {
  const outputDir = await mkdtemp(join(bench.dir, 'out-'));
  try {
    return await use(outputDir);
  } finally {
    await rm(outputDir, { recursive: true });
  }
}

export function splitInChild(
  bench: Bench,
  source: Source,
  request: Pick<SplitRequest, 'cut' | 'outputFormat' | 'audioMd5' | 'downloadSeconds'>,
): Promise<ChildReport> {
  return withOutputDir(bench, async (outputDir) => {
    const whole: ChildRequest = {
      ...request,
      sourcePath: source.path,
      warmUpPath: source.warmUpPath,
      outputDir,
      ffmpegPath: bench.tools.engineFfmpeg,
    };
    const args = [CHILD_PATH, JSON.stringify(whole)];
    const { stdout } = await run(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 });
    const report = JSON.parse(stdout) as ChildReport;
    const faults = await findFaults(report, request.cut, source.sampleCount);
    bench.faults.push(...faults.map((fault) => `${source.name}, ${request.cut.mode}: ${fault}`));
    return report;
  });
}

/** Resolves to seconds. */
export type Contender = () => Promise<number>;

/** A reference that cannot do the job leaves a gap in the table instead of ending the run. */
export function reference(contender: Contender): Contender {
  return () => contender().catch(() => Number.NaN);
}

/**
 * Median seconds of every contender. One round runs each of them once, so that a machine that slows down
 * does so for all; the first round only warms the page cache.
 */
export async function measureInterleaved<Name extends string | number>(
  { runs, progress }: Pick<Bench, 'runs' | 'progress'>,
  measure: string,
  contenders: ReadonlyMap<Name, Contender>,
): Promise<ReadonlyMap<Name, number>> {
  const measured = new Map<Name, number[]>();
  for (let round = 0; round <= runs; round++) {
    for (const [name, contender] of contenders) {
      const seconds = await contender();
      progress(`${measure}, round ${round} of ${runs}: ${name} ${seconds.toFixed(3)} s`);
      if (round > 0) measured.set(name, [...(measured.get(name) ?? []), seconds]);
    }
  }
  return new Map([...measured].map(([name, values]) => [name, median(values)]));
}

export function seconds(value: number): string {
  return `${value.toFixed(value < 10 ? 3 : 1)} s`;
}

/** A line for "engine takes at most `goal` times as long as the reference". */
export function ratioRow(
  measure: string,
  engine: number,
  against: { readonly name: string; readonly seconds: number },
  goal: number | undefined,
): Row {
  const ratio = engine / against.seconds;
  const hasRun = Number.isFinite(ratio);
  return {
    measure,
    engine: seconds(engine),
    reference: hasRun ? `${against.name} ${seconds(against.seconds)}` : against.name,
    result: hasRun ? `${ratio.toFixed(2)} x` : 'failed',
    goal: goal === undefined ? '' : `≤ ${goal} x`,
    isMet: goal === undefined || !hasRun ? undefined : ratio <= goal,
  };
}

interface PeakMemory {
  note(report: ChildReport): void;
  row(measure: string, maxMb: number): Row;
}

/** The most that any of several splits took. */
export function createPeakMemory(): PeakMemory {
  let peakRssBytes = 0;
  let idleRssBytes = 0;
  return {
    note(report) {
      peakRssBytes = Math.max(peakRssBytes, report.peakRssBytes);
      idleRssBytes = Math.max(idleRssBytes, report.idleRssBytes);
    },
    row(measure, maxMb) {
      const rssMb = peakRssBytes / 1e6;
      return {
        measure: `${measure}, memory`,
        engine: `${rssMb.toFixed(0)} MB`,
        reference: `before the split ${(idleRssBytes / 1e6).toFixed(0)} MB`,
        result: `+${((peakRssBytes - idleRssBytes) / 1e6).toFixed(0)} MB`,
        goal: `≤ ${maxMb} MB`,
        isMet: rssMb <= maxMb,
      };
    },
  };
}
