/** Splitting into minutes without decoding, against the programs that can do so too. */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CopyContainer } from '../src/copy/copy-splitter.ts';
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
import type { Source } from './sources.ts';
import { ffmpegArgs, timeCommand } from './tools.ts';

export const SEGMENT_SECONDS = 60;
const MAX_RSS_MB = 90;

const WITH_MD5 = 'engine with MD5';

type Reference = 'cp' | 'ffmpeg (npm)' | 'ffmpeg (system)' | 'mp3splt';

/** By container, the most that a copy may take in multiples of the reference. */
const FFMPEG_GOALS: Readonly<Partial<Record<CopyContainer, number>>> = {
  mp3: 0.25,
  m4a: 0.25,
  adts: 0.25,
  flac: 0.7,
  'ogg-vorbis': 0.3,
  'ogg-opus': 0.3,
};

export async function measureCopies(bench: Bench): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const source of bench.sources) rows.push(...(await measureCopy(bench, source)));
  return rows;
}

async function measureCopy(bench: Bench, source: Source): Promise<readonly Row[]> {
  const cut = { mode: 'duration', segmentDurationSeconds: SEGMENT_SECONDS } as const;
  const memory = createPeakMemory();
  const engine: Contender = async () => {
    const report = await splitInChild(bench, source, { cut });
    memory.note(report);
    return report.seconds;
  };
  const references = referencesFor(bench, source);
  const contenders = new Map<'engine' | typeof WITH_MD5 | Reference, Contender>([['engine', engine]]);
  if (source.container === 'flac') {
    contenders.set(
      WITH_MD5,
      async () => (await splitInChild(bench, source, { cut, audioMd5: true })).seconds,
    );
  }
  for (const [name, contender] of references) contenders.set(name, reference(contender));
  const measure = `copy ${source.name}`;
  const measured = await measureInterleaved(bench, measure, contenders);
  const engineSeconds = measured.get('engine') ?? Number.NaN;
  const rows = [...references.keys()].map((name) => {
    const against = { name, seconds: measured.get(name) ?? Number.NaN };
    return ratioRow(measure, engineSeconds, against, goalAgainst(bench, name, source.container));
  });
  const withMd5 = measured.get(WITH_MD5);
  if (withMd5 !== undefined) {
    const name = bench.tools.systemFfmpeg === undefined ? 'ffmpeg (npm)' : 'ffmpeg (system)';
    const against = { name, seconds: measured.get(name) ?? Number.NaN };
    rows.push(ratioRow(`${measure}, with MD5`, withMd5, against, undefined));
  }
  return [...rows, memory.row(measure, MAX_RSS_MB)];
}

/** The goals speak of the distribution's ffmpeg; the npm build stands in where there is none. */
function goalAgainst(bench: Bench, name: Reference, container: CopyContainer): number | undefined {
  const judged = bench.tools.systemFfmpeg === undefined ? 'ffmpeg (npm)' : 'ffmpeg (system)';
  if (name === judged) return FFMPEG_GOALS[container];
  if (name === 'mp3splt' && container === 'mp3') return 1;
  if (name === 'cp' && container === 'wav') return 1.3;
  return undefined;
}

function referencesFor(bench: Bench, source: Source): ReadonlyMap<Reference, Contender> {
  const { npmFfmpeg, systemFfmpeg, mp3splt } = bench.tools;
  const references = new Map<Reference, Contender>();
  references.set('cp', () =>
    withOutputDir(bench, (dir) => timeCommand('cp', [source.path, join(dir, 'copy')])),
  );
  references.set('ffmpeg (npm)', segmentMuxer(bench, source, npmFfmpeg));
  if (systemFfmpeg !== undefined)
    references.set('ffmpeg (system)', segmentMuxer(bench, source, systemFfmpeg));
  if (mp3splt !== undefined && ['mp3', 'ogg-vorbis'].includes(source.container)) {
    references.set('mp3splt', mp3spltRun(bench, source, mp3splt));
  }
  return references;
}

function segmentMuxer(bench: Bench, source: Source, ffmpegPath: string): Contender {
  return () =>
    withOutputDir(bench, (dir) => {
      const pattern = join(dir, `%05d.${source.extension}`);
      const split = ['-c', 'copy', '-f', 'segment', '-segment_time', String(SEGMENT_SECONDS), pattern];
      return timeCommand(ffmpegPath, ffmpegArgs('-i', source.path, '-map', '0:a', ...split));
    });
}

function mp3spltRun(bench: Bench, source: Source, mp3spltPath: string): Contender {
  return () =>
    withOutputDir(bench, async (dir) => {
      // It writes an index beside an Ogg source: the copy keeps that out of the other runs.
      const copy = join(dir, `source.${source.extension}`);
      await copyFile(source.path, copy);
      // Counting frames is right for every bitrate. `-b`, its only exact mode, takes nothing but LAME's own files.
      const byFrames = source.container === 'mp3' ? ['-f'] : [];
      const time = `${SEGMENT_SECONDS / 60}.0`;
      return timeCommand(mp3spltPath, ['-Q', ...byFrames, '-t', time, '-o', '@n5', '-d', dir, copy]);
    });
}
