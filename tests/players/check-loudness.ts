/**
 * Splits sources to a target of loudness, and compares what the engine states with what Debian's ffmpeg measures by its
 * `ebur128` filter: of the source, and of the segments joined.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatTable } from '@audiosplit/chassis/testing/bench-table';
import { runSplit } from '../../clients/engine/bench/split-run.ts';
import { runTool } from '../../deploy/provision/run-tool.ts';
import type { Outcome } from './outcome.ts';

interface NamedSource {
  readonly name: string;
  readonly path: string;
}

interface CheckOptions {
  readonly engineFfmpeg: string;
  readonly referenceFfmpeg: string;
  /** Does not exist yet. */
  readonly outputDir: string;
  readonly signal: AbortSignal;
}

interface LoudnessCheck {
  readonly stated: Levels;
  readonly ofSource: Levels;
  readonly gainDb: number;
  readonly ofSegments: Levels;
  readonly faults: readonly string[];
}

interface Levels {
  readonly lufs: number;
  readonly truePeakDbtp: number;
}

const TARGET_LUFS = -16;
const MAX_TRUE_PEAK_DBTP = -1;
const LOUDNESS_TOLERANCE = 0.1;
const TRUE_PEAK_TOLERANCE = 0.2;
/** Every level has one decimal. */
const ROUNDING = 1e-6;

export async function checkLoudness(
  sources: readonly NamedSource[],
  options: CheckOptions,
): Promise<Outcome> {
  const rows: string[][] = [];
  const faults: string[] = [];
  for (const { name, path } of sources) {
    const { stated, ofSource, gainDb, ofSegments, ...found } = await checkSource(path, options);
    await rm(options.outputDir, { recursive: true });
    const levels = [stated.lufs, ofSource.lufs, gainDb, ofSegments.lufs];
    const peaks = [stated.truePeakDbtp, ofSource.truePeakDbtp + gainDb, ofSegments.truePeakDbtp];
    const verdict = found.faults.length === 0 ? 'ok' : 'WRONG';
    rows.push([name, ...[...levels, ...peaks].map((level) => level.toFixed(1)), verdict]);
    faults.push(...found.faults.map((fault) => `${name}: ${fault}`));
  }
  const header = [
    ...['loudness', 'stated', 'measured', 'gain', 'of segments'],
    ...['stated peak', 'measured + gain', 'of segments', ''],
  ];
  return { table: formatTable(header, rows), faults };
}

async function checkSource(sourcePath: string, options: CheckOptions): Promise<LoudnessCheck> {
  const { engineFfmpeg, referenceFfmpeg, outputDir, signal } = options;
  await mkdir(outputDir);
  const loudness = { target: TARGET_LUFS };
  // Lossless: the true peak is stated before the encoder.
  const { result, segments } = await runSplit({
    sourcePath,
    outputDir,
    outputFormat: 'flac',
    cut: { mode: 'planned', request: { splitMode: 'parts', parts: 3, encoding: { loudness } } },
    ffmpegPath: engineFfmpeg,
  });
  const { measuredLufs, gainDb = 0, truePeakDbtp } = result.loudness ?? {};
  if (measuredLufs === undefined || truePeakDbtp === undefined) throw new Error('no loudness is stated');

  const list = join(outputDir, 'segments.txt');
  await writeFile(list, segments.map(({ path }) => `file '${path}'\n`).join(''));
  const [ofSource, ofSegments] = await Promise.all([
    measure(referenceFfmpeg, ['-i', sourcePath], signal),
    measure(referenceFfmpeg, ['-f', 'concat', '-safe', '0', '-i', list], signal),
  ]);
  const faults: string[] = [];
  const compare = (what: string, actual: number, expected: number, tolerance: number): void => {
    if (Math.abs(actual - expected) > tolerance + ROUNDING)
      faults.push(`${what} is ${actual.toFixed(1)}, not ${expected.toFixed(1)}`);
  };
  compare('the stated loudness', measuredLufs, ofSource.lufs, LOUDNESS_TOLERANCE);
  compare('the stated true peak', truePeakDbtp, ofSource.truePeakDbtp + gainDb, TRUE_PEAK_TOLERANCE);
  compare('the loudness of the segments', ofSegments.lufs, measuredLufs + gainDb, LOUDNESS_TOLERANCE);
  compare('the true peak of the segments', ofSegments.truePeakDbtp, truePeakDbtp, TRUE_PEAK_TOLERANCE);
  const gain = Math.min(TARGET_LUFS - ofSource.lufs, MAX_TRUE_PEAK_DBTP - ofSource.truePeakDbtp);
  compare('the gain', gainDb, gain, TRUE_PEAK_TOLERANCE);
  return { stated: { lufs: measuredLufs, truePeakDbtp }, ofSource, gainDb, ofSegments, faults };
}

async function measure(ffmpeg: string, input: readonly string[], signal: AbortSignal): Promise<Levels> {
  const filter = ['-map', '0:a', '-af', 'ebur128=peak=true:framelog=verbose', '-f', 'null', '-'];
  const output = await runTool(ffmpeg, ['-nostdin', '-hide_banner', ...input, ...filter], { signal });
  const summary = output.slice(output.lastIndexOf('Summary:'));
  const levels = {
    lufs: Number(/ I: +(\S+) LUFS/.exec(summary)?.[1]),
    truePeakDbtp: Number(/ Peak: +(\S+) dBFS/.exec(summary)?.[1]),
  };
  if (!Number.isFinite(levels.lufs) || !Number.isFinite(levels.truePeakDbtp))
    throw new Error(`${ffmpeg} measures no loudness: ${summary}`);
  return levels;
}
