import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkFfmpeg, resolveFfmpegPath } from '../../src/ffmpeg/binary.ts';
import { librariesOf } from '../../src/sandbox/dynamic-program.ts';
import { findSandbox } from '../../src/sandbox/find-sandbox.ts';
import type { SandboxLevel } from '../../src/sandbox/sandbox.ts';
import { FORMAT_CORPUS } from '../../src/testing/format-corpus.ts';
import { differencesIn, formatsScript, USUAL_FORMATS } from './formats.ts';
import { OF_SOURCES, reportIn, runScript } from './stdin-script.ts';
import type { FormatReport } from './try-formats.ts';

const ffmpegPath = await resolveFfmpegPath(process.env.FFMPEG_PATH);
const { level: hostLevel } = await findSandbox(await resolveFfmpegPath(undefined));
/** The path of distributions' ffmpeg, which is linked dynamically, with hundreds of libraries. */
const OF_DISTRIBUTION = '/usr/bin/ffmpeg';

/** Why this host cannot run such an ffmpeg; false if it can. */
async function skipReason(path: string, level: SandboxLevel): Promise<string | false> {
  if (hostLevel !== 'full') return `the level of this host is ${hostLevel}`;
  try {
    await checkFfmpeg(path);
  } catch (error) {
    return (error as Error).message;
  }
  const isDynamic = (await librariesOf(path)).length > 0;
  return isDynamic === (level === 'partial') ? false : `${path} is linked otherwise`;
}

for (const [path, level, corpus] of [
  [ffmpegPath, 'full', FORMAT_CORPUS],
  [OF_DISTRIBUTION, 'partial', USUAL_FORMATS],
] as const) {
  test(`ffmpeg produces the same bytes for each format in a sandbox of the level ${level} as without one`, {
    skip: await skipReason(path, level),
  }, async (context) => {
    const script = await formatsScript({ ...OF_SOURCES, ffmpegPath: path }, corpus);
    const report: FormatReport = reportIn(await runScript(script));
    context.diagnostic(`ffmpeg ${report.version}, ${report.outcomes.length} cases`);
    assert.deepEqual(differencesIn(report, level), []);
  });
}
