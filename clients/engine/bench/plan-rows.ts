/** Cuts by a plan, against plain cuts of as many segments, and against ffmpeg doing the same work. */
import { join } from 'node:path';
import type { CutRequest } from '@audiosplit/cuts/cut-request';
import {
  type Bench,
  type Contender,
  measureInterleaved,
  type Row,
  ratioRow,
  reference,
  splitInChild,
  withOutputDir,
} from './measure.ts';
import type { Source } from './sources.ts';
import { ffmpegArgs, timeCommand } from './tools.ts';

const SEGMENT_SECONDS = 600;
const WINDOW_SECONDS = 10;

/** Each in multiples of the plain cut. */
const GOALS = { snapping: 1.3, parts: 1.05, points: 1.05 } as const;
const SILENCE_GOAL = 1.15;
const SPEECH_GOAL = 1.05;

export async function measurePlans(bench: Bench, sourceSeconds: number): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const source of bench.sources) rows.push(...(await measureCopiedPlans(bench, source, sourceSeconds)));
  const mp3 = bench.sources.find(({ container }) => container === 'mp3');
  if (mp3 !== undefined)
    rows.push(await measureSilence(bench, mp3), await measureSpeech(bench, mp3, sourceSeconds));
  return rows;
}

function planned(bench: Bench, source: Source, request: CutRequest): Contender {
  return async () => (await splitInChild(bench, source, { cut: { mode: 'planned', request } })).seconds;
}

async function measureCopiedPlans(bench: Bench, source: Source, sourceSeconds: number): Promise<Row[]> {
  const count = Math.max(2, Math.round(sourceSeconds / SEGMENT_SECONDS));
  const points = Array.from({ length: count - 1 }, (_, n) => ((n + 1) * sourceSeconds) / count);
  const cut = { mode: 'duration', segmentDurationSeconds: SEGMENT_SECONDS } as const;
  const snapToSilence = { window: WINDOW_SECONDS };
  const contenders = new Map<'plain' | keyof typeof GOALS, Contender>([
    ['plain', async () => (await splitInChild(bench, source, { cut })).seconds],
    [
      'snapping',
      planned(bench, source, { splitMode: 'duration', segmentDuration: SEGMENT_SECONDS, snapToSilence }),
    ],
    ['parts', planned(bench, source, { splitMode: 'parts', parts: count })],
    ['points', planned(bench, source, { splitMode: 'ranges', splitPoints: points })],
  ]);
  const measure = `plan ${source.name}`;
  const seconds = await measureInterleaved(bench, measure, contenders);
  const against = { name: 'plain cut', seconds: seconds.get('plain') ?? Number.NaN };
  return Object.entries(GOALS).map(([name, goal]) =>
    ratioRow(`${measure}, ${name}`, seconds.get(name as keyof typeof GOALS) ?? Number.NaN, against, goal),
  );
}

async function measureSilence(bench: Bench, source: Source): Promise<Row> {
  const decode = () =>
    timeCommand(bench.tools.engineFfmpeg, ffmpegArgs('-i', source.path, '-map', '0:a', '-f', 'null', '-'));
  return await compare(bench, 'mode silence', SILENCE_GOAL, {
    engine: planned(bench, source, { splitMode: 'silence', silence: { threshold: -90 } }),
    ffmpeg: decode,
  });
}

async function measureSpeech(bench: Bench, source: Source, sourceSeconds: number): Promise<Row> {
  const encode = () =>
    withOutputDir(bench, (dir) => {
      const speech = ['-ac', '1', '-ar', '16000', '-c:a', 'libmp3lame', '-b:a', '48k'];
      return timeCommand(
        bench.tools.engineFfmpeg,
        ffmpegArgs('-i', source.path, '-map', '0:a', ...speech, join(dir, 'all.mp3')),
      );
    });
  const parts = Math.max(2, Math.round(sourceSeconds / SEGMENT_SECONDS));
  return await compare(bench, 'preset speech', SPEECH_GOAL, {
    engine: planned(bench, source, { splitMode: 'parts', parts, preset: 'speech' }),
    ffmpeg: encode,
  });
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
