/** Cuts by a plan, against plain cuts of as many segments, and against ffmpeg doing the same work. */
import { join } from 'node:path';
import type { CutRequest } from '@audiosplit/cuts/cut-request';
import type { OutputFormat } from '../src/formats/formats.ts';
import {
  type Bench,
  type Contender,
  createPeakMemory,
  measureInterleaved,
  type Row,
  ratioRow,
  reference,
  splitInChild,
  withOutputDir,
} from './measure.ts';
import { type Source, sourceNamed } from './sources.ts';
import type { ChildReport } from './split-child.ts';
import { ffmpegArgs, timeCommand, timeDecoding } from './tools.ts';

const SEGMENT_SECONDS = 600;
const WINDOW_SECONDS = 10;

/** Each in multiples of the plain cut. */
const GOALS = { snapping: 1.3, parts: 1.05, points: 1.05, ranges: 1.05, chapters: 1.05 } as const;
const SILENCE_GOAL = 1.15;
const SPEECH_GOAL = 1.05;
const MAX_RSS_MB = 96;
const ENCODED: readonly (readonly [string, OutputFormat])[] = [
  ['wav', 'flac'],
  ['mp3 128k', 'aac'],
  ['mp3 128k', 'wav'],
];

export async function measurePlans(bench: Bench, sourceSeconds: number): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const source of bench.sources) rows.push(...(await measureCopiedPlans(bench, source, sourceSeconds)));
  const mp3 = bench.sources.find(({ container }) => container === 'mp3');
  if (mp3 !== undefined)
    rows.push(...(await measureSilence(bench, mp3)), ...(await measureSpeech(bench, mp3, sourceSeconds)));
  for (const [name, outputFormat] of ENCODED)
    rows.push(await measureEncodedMemory(bench, name, outputFormat));
  return rows;
}

/** One split of each: its time is that of the encoder. */
async function measureEncodedMemory(bench: Bench, name: string, outputFormat: OutputFormat): Promise<Row> {
  const memory = createPeakMemory();
  const request = { splitMode: 'parts', parts: 2 } as const;
  const cut = { mode: 'planned', request } as const;
  memory.note(await splitInChild(bench, sourceNamed(bench.sources, name), { cut, outputFormat }));
  return memory.row(`plan ${name} to ${outputFormat}`, MAX_RSS_MB);
}

function planned(
  bench: Bench,
  source: Source,
  request: CutRequest,
  onReport: (report: ChildReport) => void = () => undefined,
): Contender {
  return async () => {
    const report = await splitInChild(bench, source, { cut: { mode: 'planned', request } });
    onReport(report);
    return report.seconds;
  };
}

async function measureCopiedPlans(bench: Bench, source: Source, sourceSeconds: number): Promise<Row[]> {
  const count = Math.max(2, Math.round(sourceSeconds / SEGMENT_SECONDS));
  // As many segments in all of them, also of a short source.
  const segmentSeconds = Math.ceil(sourceSeconds / count);
  const starts = Array.from({ length: count }, (_, n) => (n * sourceSeconds) / count);
  const points = starts.slice(1);
  const cut = { mode: 'duration', segmentDurationSeconds: segmentSeconds } as const;
  const snapToSilence = { window: WINDOW_SECONDS };
  const memory = createPeakMemory();
  const plan = (request: CutRequest) => planned(bench, source, request, memory.note);
  const contenders = new Map<'plain' | keyof typeof GOALS, Contender>([
    ['plain', async () => (await splitInChild(bench, source, { cut })).seconds],
    ['snapping', plan({ splitMode: 'duration', segmentDuration: segmentSeconds, snapToSilence })],
    ['parts', plan({ splitMode: 'parts', parts: count })],
    ['points', plan({ splitMode: 'ranges', splitPoints: points })],
    [
      'ranges',
      plan({
        splitMode: 'ranges',
        ranges: starts.map((start, n) => {
          const end = points[n];
          return end === undefined ? { start } : { start, end };
        }),
      }),
    ],
    ['chapters', plan({ splitMode: 'chapters', chapters: starts.map((startTime) => ({ startTime })) })],
  ]);
  const measure = `plan ${source.name}`;
  const seconds = await measureInterleaved(bench, measure, contenders);
  const against = { name: 'plain cut', seconds: seconds.get('plain') ?? Number.NaN };
  const rows = Object.entries(GOALS).map(([name, goal]) =>
    ratioRow(`${measure}, ${name}`, seconds.get(name as keyof typeof GOALS) ?? Number.NaN, against, goal),
  );
  return [...rows, memory.row(measure, MAX_RSS_MB)];
}

async function measureSilence(bench: Bench, source: Source): Promise<Row[]> {
  const measure = 'mode silence';
  const memory = createPeakMemory();
  const row = await compare(bench, measure, SILENCE_GOAL, {
    engine: planned(bench, source, { splitMode: 'silence', silence: { threshold: -90 } }, memory.note),
    ffmpeg: () => timeDecoding(bench.tools.engineFfmpeg, source.path),
  });
  return [row, memory.row(measure, MAX_RSS_MB)];
}

async function measureSpeech(bench: Bench, source: Source, sourceSeconds: number): Promise<Row[]> {
  const memory = createPeakMemory();
  const encode = () =>
    withOutputDir(bench, (dir) => {
      const speech = ['-ac', '1', '-ar', '16000', '-c:a', 'libmp3lame', '-b:a', '48k'];
      return timeCommand(
        bench.tools.engineFfmpeg,
        ffmpegArgs('-i', source.path, '-map', '0:a', ...speech, join(dir, 'all.mp3')),
      );
    });
  const parts = Math.max(2, Math.round(sourceSeconds / SEGMENT_SECONDS));
  const row = await compare(bench, 'preset speech', SPEECH_GOAL, {
    engine: planned(bench, source, { splitMode: 'parts', parts, preset: 'speech' }, memory.note),
    ffmpeg: encode,
  });
  return [row, memory.row('preset speech', MAX_RSS_MB)];
}

async function compare(
  bench: Bench,
  measure: string,
  goal: number,
  { engine, ffmpeg }: Readonly<Record<'engine' | 'ffmpeg', Contender>>,
): Promise<Row> {
  const contenders = new Map([
    ['engine', engine],
    ['ffmpeg', reference(ffmpeg)],
  ]);
  const seconds = await measureInterleaved(bench, measure, contenders);
  const against = { name: 'ffmpeg', seconds: seconds.get('ffmpeg') ?? Number.NaN };
  return ratioRow(measure, seconds.get('engine') ?? Number.NaN, against, goal);
}
