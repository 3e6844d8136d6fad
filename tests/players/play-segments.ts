/** Splits sources and has every segment played: none may miss a sample, repeat one, or cause a remark. */
import { mkdir, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { formatTable } from '@audiosplit/chassis/testing/bench-table';
import { findFaults, runSplit } from '../../clients/engine/bench/split-run.ts';
import type { FinishedSegment } from '../../clients/engine/src/media.ts';
import { seconds } from '../../deploy/provision/progress.ts';
import { allowedExcess, type Combination, ceilingOf, nameOf } from './combinations.ts';
import { judge, type Verdict } from './judges.ts';
import type { Outcome } from './outcome.ts';
import type { Programs } from './programs.ts';

interface PlayOptions {
  readonly programs: Programs;
  readonly engineFfmpeg: string;
  /** Does not exist yet. */
  readonly outputDir: string;
  readonly signal: AbortSignal;
  readonly report: (line: string) => void;
}

interface Tally {
  readonly segments: number;
  readonly lost: number;
  readonly doubled: number;
  /** 0 to 1 of the ceiling; undefined where there is none. */
  readonly largestShare: number | undefined;
  readonly remarks: readonly string[];
  readonly knownRemarks: number;
  /** The name of a decoder for each segment that it has counted. */
  readonly counted: readonly string[];
}

export async function playSegments(
  combinations: readonly Combination[],
  options: PlayOptions,
): Promise<Outcome> {
  const { outputDir, signal, report } = options;
  const rows: string[][] = [];
  const faults: string[] = [];
  const counted = new Map<string, number>();
  for (const [index, combination] of combinations.entries()) {
    signal.throwIfAborted();
    const name = nameOf(combination);
    const startedMs = performance.now();
    // A split that fails loses everything.
    const tally = await playCombination(combination, options).catch((error: unknown): Tally => {
      const nothing = { segments: 0, doubled: 0, largestShare: undefined, knownRemarks: 0, counted: [] };
      return { ...nothing, lost: combination.source.sampleCount, remarks: [String(error)] };
    });
    await rm(outputDir, { recursive: true, force: true });
    const { segments, lost, doubled, largestShare, remarks, knownRemarks } = tally;
    const verdict = lost === 0 && doubled === 0 && remarks.length === 0 ? 'ok' : 'WRONG';
    const progress = `${index + 1} of ${combinations.length}`;
    report(`${progress}: ${name}, ${segments} segments, ${seconds(startedMs)}, ${verdict}`);
    rows.push([
      name,
      String(segments),
      `${lost} / ${doubled}`,
      largestShare?.toFixed(5) ?? '-',
      String(remarks.length),
      String(knownRemarks),
      verdict,
    ]);
    for (const program of tally.counted) counted.set(program, (counted.get(program) ?? 0) + 1);
    faults.push(...summarise(remarks).map((remark) => `${name}: ${remark}`));
    if (verdict !== 'ok') faults.push(`${name}: ${lost} samples lost, ${doubled} doubled`);
  }
  const header = ['combination', 'segments', 'lost / doubled', 'largest / limit', 'warnings', 'known', ''];
  const counts = [...counted].map(([program, count]) => `${program} ${count}`).join(', ');
  return { table: `${formatTable(header, rows)}\n\nsegments counted by ${counts}`, faults };
}

async function playCombination(
  combination: Combination,
  { programs, engineFfmpeg, outputDir }: PlayOptions,
): Promise<Tally> {
  const { source, outputFormat, cut } = combination;
  await mkdir(outputDir);
  const outcome = await runSplit({
    sourcePath: source.path,
    outputDir,
    cut,
    ...(outputFormat === undefined ? {} : { outputFormat }),
    ffmpegPath: engineFfmpeg,
  });
  const { segments } = outcome;
  const remarks = [...(await findFaults(outcome, cut, source.sampleCount))];
  const verdicts = await judgeAll(programs, segments);
  const counted: string[] = [];
  let [lost, doubled, end, knownRemarks] = [0, 0, 0, 0];
  const account = (missing: number): void => {
    lost += Math.max(0, missing);
    doubled += Math.max(0, -missing);
  };
  for (const [index, segment] of segments.entries()) {
    const verdict = verdicts[index];
    account(segment.startSample - end);
    end = segment.startSample + segment.sampleCount;
    for (const [player, played] of verdict?.playedSamples ?? []) {
      counted.push(player);
      const missing = segment.sampleCount - played;
      if (missing < 0 && -missing <= allowedExcess(combination, segment, player)) {
        knownRemarks += 1;
        continue;
      }
      if (player === 'ffmpeg') account(missing);
      if (missing > 0) remarks.push(`${player} plays fewer samples than stated`);
      if (missing < 0) remarks.push(`${player} plays more samples than stated`);
    }
    remarks.push(...(verdict?.remarks ?? []));
    knownRemarks += verdict?.knownRemarks ?? 0;
  }
  account(source.sampleCount - end);
  const largest = Math.max(0, ...segments.map((segment) => segment.sizeBytes));
  const ceilingBytes = ceilingOf(cut);
  const largestShare = ceilingBytes && largest / ceilingBytes;
  return { segments: segments.length, lost, doubled, largestShare, remarks, knownRemarks, counted };
}

/** As many at a time as there are cores; verdicts in the order of the segments. */
async function judgeAll(
  programs: Programs,
  segments: readonly FinishedSegment[],
): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  const waiting = segments.entries();
  const work = async (): Promise<void> => {
    for (const [index, segment] of waiting) verdicts[index] = await judge(programs, segment);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return verdicts;
}

/** Each remark once, with how often it was made. */
function summarise(remarks: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const remark of remarks) counts.set(remark, (counts.get(remark) ?? 0) + 1);
  return [...counts].map(([remark, count]) => (count === 1 ? remark : `${remark} (${count} times)`));
}
