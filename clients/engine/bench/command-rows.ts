/** `audiosplit cut` as people run it, the start of the process included, beside the programs that they use for the same. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { median } from '@audiosplit/chassis/testing/latency';
import { type Bench, type Row, withOutputDir } from './measure.ts';
import { ffmpegArgs, timeCommand } from './tools.ts';

const run = promisify(execFile);
const CLIENTS = fileURLToPath(new URL('../..', import.meta.url));
const SEGMENT_SECONDS = 60;
/** For ten minutes of mp3. */
const GOAL_SECONDS = 0.25;

export async function measureCommand(bench: Bench, sourceSeconds: number): Promise<readonly Row[]> {
  const source = bench.sources.find(({ name }) => name === 'mp3 128k');
  if (source === undefined) return [];
  // As it is published.
  for (const name of ['engine', 'cli']) await run('npm', ['run', 'prepack'], { cwd: join(CLIENTS, name) });
  const program = join(CLIENTS, 'cli/dist/bundle/main.js');
  const measure = async (command: string, argsFor: (to: string) => readonly string[]): Promise<number> => {
    const seconds: number[] = [];
    for (let n = 0; n < bench.runs; n++) {
      seconds.push(await withOutputDir(bench, (to) => timeCommand(command, argsFor(to))));
    }
    return median(seconds);
  };
  bench.progress('audiosplit cut, its start included');
  const every = String(SEGMENT_SECONDS);
  const ownSeconds = await measure(process.execPath, (to) => [
    program,
    ...['cut', source.path, '--every', every, '--out', to],
  ]);
  const { systemFfmpeg, npmFfmpeg, mp3splt } = bench.tools;
  const ffmpegSeconds = await measure(systemFfmpeg ?? npmFfmpeg, (to) =>
    ffmpegArgs(
      ...['-i', source.path, '-f', 'segment', '-segment_time', every, '-c', 'copy', join(to, '%03d.mp3')],
    ),
  );
  const isGoalsLength = sourceSeconds === 600;
  const row = (reference: string, seconds: number, hasGoal: boolean): Row => ({
    measure: 'audiosplit cut, mp3 128k',
    engine: `${ownSeconds.toFixed(3)} s`,
    reference: `${reference} ${seconds.toFixed(3)} s`,
    result: `${(ownSeconds / seconds).toFixed(2)} x`,
    goal: hasGoal ? `≤ ${GOAL_SECONDS} s` : '',
    isMet: hasGoal ? ownSeconds <= GOAL_SECONDS : undefined,
  });
  const rows = [row('ffmpeg', ffmpegSeconds, isGoalsLength)];
  if (mp3splt === undefined) return rows;
  const spltSeconds = await measure(mp3splt, (to) => ['-Q', '-t', '1.0', '-d', to, source.path]);
  return [...rows, row('mp3splt', spltSeconds, false)];
}
