import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveFfmpegPath } from '../../src/ffmpeg/binary.ts';
import { librariesOf } from '../../src/sandbox/dynamic-program.ts';
import { findSandbox } from '../../src/sandbox/find-sandbox.ts';
import { attemptsProgram, attemptsScript, breachesOf, type Linking, unprovenIn } from './attempts.ts';
import { OF_SOURCES, reportIn, runScript } from './stdin-script.ts';
import type { AttemptReport } from './try-attempts.ts';

const { level } = await findSandbox(await resolveFfmpegPath(undefined));
const isShort = level === 'full' ? undefined : `the level of this host is ${level}`;
/** The attempts do not run as root, because images never do. */
const ACCOUNT = process.getuid?.() === 0 ? { uid: 65_532, gid: 65_532 } : {};

async function skipReason(linking: Linking): Promise<string | false> {
  if (isShort !== undefined) return isShort;
  if (linking === 'static') return false;
  const libraries = await librariesOf(attemptsProgram(linking)).catch(() => []);
  return libraries.length > 0 ? false : 'this host has not the loader of glibc';
}

for (const linking of ['static', 'dynamic'] as const) {
  test(`an exploited ffmpeg gains nothing, linked as a ${linking} program: each attempt by its name`, {
    skip: await skipReason(linking),
  }, async (context) => {
    const script = await attemptsScript(linking, { ...OF_SOURCES, hasControl: true });
    const report: AttemptReport = reportIn(await runScript(script, ACCOUNT));

    for (const { name, confined, unconfined } of report.outcomes) {
      context.diagnostic(`${name}: ${confined}, without a sandbox ${unconfined}`);
    }
    assert.deepEqual(breachesOf(linking, report), []);
    assert.deepEqual(unprovenIn(report), [], 'all others succeed without a sandbox');
  });
}
