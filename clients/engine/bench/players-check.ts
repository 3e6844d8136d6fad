/**
 * What players make of the segments: five sources × five outputs × three cuts, judged by programs of others. The third is a
 * plan: two caps at once, and cuts in silences.
 *
 *   node --conditions=audiosplit-source clients/engine/bench/players-check.ts [--minutes 60]
 *
 * ffmpeg, mpg123, `flac --test` and `oggz-validate` (Debian's packages, installed where they are missing) take
 * every segment: none may have anything to remark, and what ffmpeg and mpg123 play must be the samples that the
 * engine stated, neither more nor less; together the segments must be the source. FFMPEG_PATH gives the engine
 * another binary than the npm build. Ends with 1 where a sample is lost or doubled, a segment is over its limit,
 * or a program remarks on one. Counted by themselves are remarks that ffmpeg makes on every file of a kind, and
 * copied m4a segments whose last AAC frame it plays to the end: frames of a copy are the source's, and ffmpeg 5.1
 * respects where an edit list begins, not where it ends. The folder of segments is emptied after each combination; an hour of sound takes
 * about 2 GB in TMPDIR.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { formatTable } from '@audiosplit/chassis/testing/bench-table';
import type { Cut, PlannedCut } from '../src/cuts/cut.ts';
import { OUTPUT_FORMATS, type OutputFormat } from '../src/formats/formats.ts';
import type { FinishedSegment } from '../src/media.ts';
import { findJudges, type Judges } from './players-install.ts';
import { judge, type Verdict } from './players-judges.ts';
import { makePlayedSources, type PlayedSource } from './players-sources.ts';
import { findFaults, runSplit } from './split-run.ts';
import { findTools } from './tools.ts';

const SEGMENT_SECONDS = 60;
const MAX_LOSSY_BYTES = 5_000_000;
const MAX_LOSSLESS_BYTES = 25_000_000;
/** Sources shorter than this get lower ceilings, so that there are cuts to judge. */
const FULL_SIZE_SECONDS = 20 * 60;
const AAC_FRAME_SAMPLES = 1_024;
const LOSSLESS: readonly OutputFormat[] = ['wav', 'flac'];

interface Combination {
  readonly source: PlayedSource;
  readonly outputFormat: OutputFormat;
  readonly cut: Cut | PlannedCut;
}

interface Tally {
  readonly segments: number;
  readonly lost: number;
  readonly doubled: number;
  /** 0 to 1 of the ceiling; undefined where there is none. */
  readonly largestShare: number | undefined;
  readonly remarks: readonly string[];
  readonly knownRemarks: number;
}

/** How many samples ffmpeg may play beyond the end: those of a copied AAC frame. A plan encodes one file and copies out of it. */
function allowedExcess({ source, outputFormat, cut }: Combination): number {
  const isCopied = source.name === 'm4a' || cut.mode === 'planned';
  return isCopied && outputFormat === 'aac' ? AAC_FRAME_SAMPLES - 1 : 0;
}

function cuts(outputFormat: OutputFormat, sourceSeconds: number): readonly (Cut | PlannedCut)[] {
  const share = Math.min(1, sourceSeconds / FULL_SIZE_SECONDS);
  const bytes = LOSSLESS.includes(outputFormat) ? MAX_LOSSLESS_BYTES : MAX_LOSSY_BYTES;
  const maxFileSize = Math.round(share * bytes);
  const snapToSilence = { window: 10 };
  return [
    { mode: 'duration', segmentDurationSeconds: SEGMENT_SECONDS },
    { mode: 'fileSize', maxFileSizeBytes: maxFileSize },
    {
      mode: 'planned',
      request: { splitMode: 'duration', segmentDuration: 4 * SEGMENT_SECONDS, maxFileSize, snapToSilence },
    },
  ];
}

function ceilingOf(cut: Cut | PlannedCut): number | undefined {
  if (cut.mode === 'planned') return cut.request.maxFileSize;
  return cut.mode === 'fileSize' ? cut.maxFileSizeBytes : undefined;
}

function nameOf({ source, outputFormat, cut }: Combination): string {
  const limit =
    cut.mode === 'duration' ? `${cut.segmentDurationSeconds} s` : `${(ceilingOf(cut) ?? 0) / 1e6} MB`;
  return `${source.name} → ${outputFormat}, ${limit}${cut.mode === 'planned' ? ', planned' : ''}`;
}

/** As many at a time as there are cores; verdicts in the order of the segments. */
async function judgeAll(judges: Judges, segments: readonly FinishedSegment[]): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  const waiting = segments.entries();
  const work = async (): Promise<void> => {
    for (const [index, segment] of waiting) verdicts[index] = await judge(judges, segment);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return verdicts;
}

async function check(
  combination: Combination,
  judges: Judges,
  ffmpegPath: string,
  outputDir: string,
): Promise<Tally> {
  const { source, outputFormat, cut } = combination;
  await mkdir(outputDir);
  const outcome = await runSplit({ sourcePath: source.path, outputDir, cut, outputFormat, ffmpegPath });
  const { segments } = outcome;
  const remarks = [...(await findFaults(outcome, cut, source.sampleCount))];
  const verdicts = await judgeAll(judges, segments);
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
      const missing = segment.sampleCount - played;
      if (missing < 0 && -missing <= allowedExcess(combination)) {
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
  return { segments: segments.length, lost, doubled, largestShare, remarks, knownRemarks };
}

/** A split that fails loses everything. */
function failed(combination: Combination, error: unknown): Tally {
  const lost = combination.source.sampleCount;
  return {
    segments: 0,
    lost,
    doubled: 0,
    largestShare: undefined,
    remarks: [String(error)],
    knownRemarks: 0,
  };
}

function isSound({ lost, doubled, remarks }: Tally): boolean {
  return lost === 0 && doubled === 0 && remarks.length === 0;
}

/** Each remark once, with how often it was made. */
function summarise(remarks: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const remark of remarks) counts.set(remark, (counts.get(remark) ?? 0) + 1);
  return [...counts].map(([remark, count]) => (count === 1 ? remark : `${remark} (${count} times)`));
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '60' } } });
const seconds = Math.round(Number(values.minutes) * 60);
if (!(seconds > 0)) throw new Error('--minutes takes a number above 0');

const judges = await findJudges(print);
const tools = await findTools();
const dir = await mkdtemp(join(tmpdir(), 'audiosplit-players-'));
try {
  const sources = await makePlayedSources(tools.npmFfmpeg, dir, seconds, print);
  const combinations = sources.flatMap((source) =>
    OUTPUT_FORMATS.flatMap((outputFormat) =>
      cuts(outputFormat, seconds).map((cut): Combination => ({ source, outputFormat, cut })),
    ),
  );
  const rows: string[][] = [];
  const faults: string[] = [];
  for (const [index, combination] of combinations.entries()) {
    const outputDir = join(dir, 'segments');
    const start = performance.now();
    const tally = await check(combination, judges, tools.engineFfmpeg, outputDir).catch((error: unknown) =>
      failed(combination, error),
    );
    await rm(outputDir, { recursive: true, force: true });
    const name = nameOf(combination);
    const verdict = isSound(tally) ? 'ok' : 'WRONG';
    const tookSeconds = ((performance.now() - start) / 1000).toFixed(1);
    print(
      `${index + 1} of ${combinations.length}: ${name}, ${tally.segments} segments, ${tookSeconds} s, ${verdict}`,
    );
    rows.push([
      name,
      String(tally.segments),
      `${tally.lost} / ${tally.doubled}`,
      tally.largestShare === undefined ? '-' : tally.largestShare.toFixed(5),
      String(tally.remarks.length),
      String(tally.knownRemarks),
      verdict,
    ]);
    faults.push(...summarise(tally.remarks).map((remark) => `${name}: ${remark}`));
    if (verdict !== 'ok') process.exitCode = 1;
  }
  const header = ['combination', 'segments', 'lost / doubled', 'largest / limit', 'warnings', 'known', ''];
  print(`\n${formatTable(header, rows)}\n`);
  for (const fault of faults) print(fault);
} finally {
  await rm(dir, { recursive: true, force: true });
}
