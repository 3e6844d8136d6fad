import assert from 'node:assert/strict';
import { mkdtempDisposable, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { resolveFfmpegPath } from './binary.ts';
import { findPrlimit } from './limits.ts';
import { FfmpegError, type FfmpegRuntime, startFfmpeg } from './run.ts';

const RUN = { limits: { cpuSeconds: 20 }, wallLimitMs: 20_000, stdin: 'ignore' } as const;
const ENDLESS = ['-nostdin', '-v', 'error', '-re', '-f', 'lavfi', '-i', 'anullsrc', '-f', 'null', '-'];

async function runtime(overrides: Partial<FfmpegRuntime> = {}): Promise<FfmpegRuntime> {
  return {
    ffmpegPath: await resolveFfmpegPath(undefined),
    prlimitPath: await findPrlimit(),
    workDir: tmpdir(),
    signal: new AbortController().signal,
    ...overrides,
  };
}

test('a process that ends well gives its output', async () => {
  const args = [
    '-v',
    'error',
    '-f',
    'lavfi',
    '-i',
    'anullsrc=r=8000:cl=mono',
    '-t',
    '1',
    '-f',
    's16le',
    'pipe:1',
  ];
  await using child = startFfmpeg(await runtime(), { ...RUN, args });
  assert.equal((await buffer(child.stdout)).length, 16_000);
  await child.finished;
});

test('a failing process rejects with its exit code and its own words', async () => {
  await using child = startFfmpeg(await runtime(), { ...RUN, args: ['-v', 'error', '-i', 'missing.wav'] });
  child.stdout.resume();
  await assert.rejects(child.finished, (error) => {
    assert.ok(error instanceof FfmpegError);
    assert.equal(error.exitCode, 1);
    assert.match(error.stderr, /missing\.wav: No such file/);
    return true;
  });
});

test('a binary that is not there rejects without an exit code', async () => {
  await using child = startFfmpeg(
    await runtime({ ffmpegPath: '/nonexistent/ffmpeg', prlimitPath: undefined }),
    { ...RUN, args: [] },
  );
  await assert.rejects(child.finished, (error) => error instanceof FfmpegError && error.exitCode === null);
});

test('the wall limit kills the process', async () => {
  await using child = startFfmpeg(await runtime(), { ...RUN, args: ENDLESS, wallLimitMs: 50 });
  child.stdout.resume();
  await assert.rejects(
    child.finished,
    (error) => error instanceof FfmpegError && error.exitSignal === 'SIGKILL',
  );
});

test('an abort kills the process and rejects with the reason', async () => {
  const controller = new AbortController();
  await using child = startFfmpeg(await runtime({ signal: controller.signal }), { ...RUN, args: ENDLESS });
  child.stdout.resume();
  controller.abort(new Error('enough'));
  await assert.rejects(child.finished, /enough/);
});

test('disposing ends a process that nobody waits for', async () => {
  const child = startFfmpeg(await runtime(), { ...RUN, args: ENDLESS });
  await child[Symbol.asyncDispose]();
  await assert.rejects(child.finished, FfmpegError);
});

test('the limits are those of the process', async (t) => {
  if ((await findPrlimit()) === undefined) return t.skip('no prlimit on this host');
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-limits-'));
  const args = [
    '-v',
    'error',
    '-f',
    'lavfi',
    '-i',
    'anullsrc=r=48000',
    '-t',
    '9',
    '-f',
    's16le',
    '-y',
    'file:large.raw',
  ];
  const limited = { ...RUN, args, limits: { cpuSeconds: 5, fileSizeBytes: 100_000 } };
  await using child = startFfmpeg(await runtime({ workDir: folder.path }), limited);
  child.stdout.resume();
  await assert.rejects(child.finished, FfmpegError);
  assert.ok((await stat(join(folder.path, 'large.raw'))).size <= 100_000);
});
