/**
 * `npm run verify -- players`: what programs of others make of the segments.
 *
 * First they play and test every segment of six sources (`combinations.ts`). None may have anything to remark. What ffmpeg
 * and the format's own decoder play must be the samples that the engine stated, neither more nor fewer; together the
 * segments must be the source, and none may exceed its ceiling. Counted by themselves are remarks that a program makes on
 * every file of a kind, and known limits of players (`allowedExcess`): frames of a copied m4a are the source's, and ffmpeg 5.1
 * respects where an edit list begins, not where it ends.
 *
 * Then recordings and the same sources are split to a target of loudness, and Debian's ffmpeg measures both.
 *
 * FFMPEG_PATH gives the engine another binary than the npm build. The folder of segments is emptied after each split; an
 * hour of sound takes about 2 GB in TMPDIR.
 */
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findTools } from '../../clients/engine/bench/tools.ts';
import { decimal } from '../../deploy/provision/options.ts';
import { reportedTask, reportTo } from '../../deploy/provision/progress.ts';
import { command } from '../harness/command/command.ts';
import { checkLoudness } from './check-loudness.ts';
import { combinationsOf } from './combinations.ts';
import { playSegments } from './play-segments.ts';
import { ensurePrograms } from './programs.ts';
import { ensureRecordings } from './recordings.ts';
import { makePlayedSources } from './sources.ts';

const COMMAND = {
  command: 'npm run verify -- players',
  options: { minutes: decimal({ least: 0.5, most: 600 }, 0.5, 'length of each source') },
};

await command(COMMAND, async ({ minutes }, signal) => {
  const reporter = reportTo(process.stderr);
  const report = (line: string): void => reporter('players', line);
  const task = reportedTask('players', reporter, signal);
  const programs = await ensurePrograms(task);
  const recordings = await ensureRecordings(task);
  const { engineFfmpeg, npmFfmpeg } = await findTools();
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-players-'));
  const outputDir = join(folder.path, 'segments');
  const sourceSeconds = Math.round(minutes * 60);
  const sources = await makePlayedSources(npmFfmpeg, folder.path, sourceSeconds, report);

  const combinations = combinationsOf(sources, sourceSeconds);
  const played = await playSegments(combinations, { programs, engineFfmpeg, outputDir, signal, report });
  report('the loudness of recordings');
  const loudness = await checkLoudness([...recordings, ...sources], {
    engineFfmpeg,
    referenceFfmpeg: programs.ffmpeg,
    outputDir,
    signal,
  });
  const faults = [...played.faults, ...loudness.faults].map((fault) => `${fault}\n`);
  return {
    report: `${played.table}\n\n${loudness.table}\n\n`,
    isFine: faults.length === 0,
    verdict: faults.length === 0 ? 'all is well\n' : faults.join(''),
  };
});
