/**
 * The splitting engine against the programs that people use for the same, and against its own goals.
 *
 *   node --conditions=audiosplit-source clients/engine/bench/engine-bench.ts [--minutes 10] [--runs 3] [--only copy,fill,transcode,streaming,starts,plan,range,waveform,cut]
 *
 * `--only sizing` measures what docs/operations/sizing.md sizes by, and compares with nothing.
 *
 * Sources are made in a temporary folder. Only ratios within one run mean anything: machines drift. The
 * engine is timed inside its process, compiled and after one split of a few seconds, as in a service; the other
 * programs are timed from their start. FFMPEG_PATH gives the engine, and the plain ffmpeg that it is compared with
 * when encoding, another binary than the npm build. Ends with 1 only where a result is wrong; a missed goal is
 * marked in the table.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { formatTable } from '@audiosplit/chassis/testing/bench-table';
import { measureCommand } from './command-rows.ts';
import { measureStreaming, measureTranscodes } from './convert-rows.ts';
import { measureCopies } from './copy-rows.ts';
import { measureFill } from './fill-rows.ts';
import { type Bench, compileEngine, type Row } from './measure.ts';
import { measurePlans } from './plan-rows.ts';
import { measureRanges } from './range-rows.ts';
import { measureSizing } from './sizing-rows.ts';
import { makeSources } from './sources.ts';
import { measureStarts } from './start-rows.ts';
import { findTools } from './tools.ts';
import { measureWaveforms } from './waveform-rows.ts';

/** Goals that are no matter of speed, and where they are checked. */
const CHECKED_ELSEWHERE: readonly Row[] = [
  ['seams and lengths', 'npm run verify -- engine'],
  ['hostile inputs', 'npm test'],
].map(([measure = '', reference = '']) => ({
  measure,
  engine: '',
  reference,
  result: '',
  goal: '',
  isMet: undefined,
}));

function positive(name: string, value: string): number {
  const number = Number(value);
  if (!(number > 0)) throw new Error(`--${name} takes a number above 0`);
  return number;
}

function verdict(isMet: boolean | undefined): string {
  if (isMet === undefined) return '';
  return isMet ? 'met' : 'NOT MET';
}

const MEASURES: Readonly<Record<string, (bench: Bench) => Promise<readonly Row[]>>> = {
  copy: measureCopies,
  fill: measureFill,
  transcode: measureTranscodes,
  streaming: measureStreaming,
  starts: measureStarts,
  plan: (bench) => measurePlans(bench, sourceSeconds),
  range: measureRanges,
  waveform: (bench) => measureWaveforms(bench, sourceSeconds),
  cut: (bench) => measureCommand(bench, sourceSeconds),
  sizing: (bench) => measureSizing(bench, sourceSeconds),
};
const COMPARED = ['copy', 'fill', 'transcode', 'streaming', 'starts', 'plan', 'range', 'waveform', 'cut'];

function measureNamed(name: string) {
  const measure = MEASURES[name];
  if (measure === undefined) throw new Error(`--only takes ${Object.keys(MEASURES).join(', ')}`);
  return measure;
}

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    runs: { type: 'string', default: '3' },
    only: { type: 'string', default: COMPARED.join(',') },
  },
});
const sourceSeconds = Math.round(positive('minutes', values.minutes) * 60);
const runs = Math.ceil(positive('runs', values.runs));
const measures = values.only.split(',').map(measureNamed);

await compileEngine();
const tools = await findTools();
const dir = await mkdtemp(join(tmpdir(), 'audiosplit-bench-'));
try {
  const sources = await makeSources(tools.npmFfmpeg, dir, sourceSeconds);
  const progress = (line: string): void => void process.stderr.write(`${line}\n`);
  const bench: Bench = { tools, sources, runs, dir, progress, faults: [] };
  const rows: Row[] = [];
  for (const measure of measures) {
    rows.push(...(await measure(bench)));
  }
  rows.push(...CHECKED_ELSEWHERE);

  const header = ['measure', 'engine', 'reference', 'result', 'goal', ''];
  const cells = rows.map((row) => [
    row.measure,
    row.engine,
    row.reference,
    row.result,
    row.goal,
    verdict(row.isMet),
  ]);
  process.stdout.write(`${sourceSeconds / 60} min sources, medians of ${runs}, `);
  process.stdout.write(`${availableParallelism()} cores, Node ${process.versions.node}, `);
  process.stdout.write('the engine compiled and warmed up by one split of a few seconds\n\n');
  process.stdout.write(`${formatTable(header, cells)}\n`);
  for (const fault of bench.faults) process.stdout.write(`WRONG: ${fault}\n`);
  if (bench.faults.length > 0) process.exitCode = 1;
} finally {
  await rm(dir, { recursive: true, force: true });
}
