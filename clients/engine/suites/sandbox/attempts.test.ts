import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { resolveFfmpegPath } from '../../src/ffmpeg/binary.ts';
import { findSandbox } from '../../src/sandbox/find-sandbox.ts';
import { attemptsScript, breachesOf, FLAGS, parseReport } from './attempts.ts';

const { level } = await findSandbox(await resolveFfmpegPath(undefined));
const skip = level === 'full' ? false : `the level of this host is ${level}`;
/** The attempts do not run as root, which images never are either. */
const ACCOUNT = process.getuid?.() === 0 ? { uid: 65_532, gid: 65_532 } : {};
/** Of those that succeed without a sandbox on a kernel like CI's; some need rights or modules that hosts lack. */
const MIN_OPEN_UNCONFINED = 55;

test('an exploited ffmpeg gains nothing: each attempt by its name', { skip }, async (context) => {
  const script = await attemptsScript({
    modules: join(import.meta.dirname, '../../src'),
    extension: '.ts',
    folder: tmpdir(),
    hasControl: true,
  });
  const child = spawn(process.execPath, ['--conditions=audiosplit-source', ...FLAGS], {
    ...ACCOUNT,
    cwd: tmpdir(),
    env: {},
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(script);
  const report = parseReport(await text(child.stdout));

  for (const { name, confined, unconfined } of report.outcomes) {
    context.diagnostic(`${name}: ${confined}, without a sandbox ${unconfined}`);
  }
  assert.deepEqual(breachesOf(report), []);
  const open = report.outcomes.filter(({ unconfined }) => unconfined === 'succeeded');
  assert.ok(open.length >= MIN_OPEN_UNCONFINED, `without a sandbox only ${open.length} succeed`);
});
