import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { until } from '@audiosplit/chassis/testing/until';
import { findSandbox } from '../sandbox/find-sandbox.ts';
import { UNCONFINED } from '../sandbox/sandbox.ts';
import { resolveFfmpegPath } from './binary.ts';
import { FfmpegError, type FfmpegRuntime, startFfmpeg } from './run.ts';

const RUN = { limits: { cpuSeconds: 20 }, wallLimitMs: 20_000, stdin: 'ignore' } as const;
const ENDLESS = ['-nostdin', '-v', 'error', '-re', '-f', 'lavfi', '-i', 'anullsrc', '-f', 'null', '-'];
/** Without a sandbox, which would prevent it from starting others. */
const SHELL = { ffmpegPath: '/bin/sh', sandbox: UNCONFINED };

async function runtime(overrides: Partial<FfmpegRuntime> = {}): Promise<FfmpegRuntime> {
  const { ffmpegPath = await resolveFfmpegPath(undefined) } = overrides;
  return {
    ffmpegPath,
    sandbox: await findSandbox(ffmpegPath),
    workDir: tmpdir(),
    signal: new AbortController().signal,
    stop: () => undefined,
    ...overrides,
  };
}

test('a successful process returns its output', async () => {
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

test('a failing process rejects with its exit code and its error output', async () => {
  await using child = startFfmpeg(await runtime(), { ...RUN, args: ['-v', 'error', '-i', 'missing.wav'] });
  child.stdout.resume();
  await assert.rejects(child.finished, (error) => {
    assert.ok(error instanceof FfmpegError);
    assert.equal(error.exitCode, 1);
    assert.match(error.stderr, /missing\.wav: No such file/);
    return true;
  });
});

test('a missing binary rejects without an exit code, with and without a sandbox', async () => {
  for (const sandbox of [UNCONFINED, await findSandbox(await resolveFfmpegPath(undefined))]) {
    await using child = startFfmpeg(await runtime({ ffmpegPath: '/nonexistent/ffmpeg', sandbox }), {
      ...RUN,
      args: [],
    });
    child.stdout.resume();
    await assert.rejects(child.finished, (error) => error instanceof FfmpegError && error.exitCode === null);
  }
});

test('the first and the last lines of endless error output are kept', async () => {
  const script = 'echo first >&2; seq 100000 >&2; echo last >&2; exit 3';
  await using child = startFfmpeg(await runtime(SHELL), { ...RUN, args: ['-c', script] });
  child.stdout.resume();
  await assert.rejects(child.finished, (error) => {
    assert.ok(error instanceof FfmpegError);
    assert.match(error.stderr, /^first\n1\n2\n[\s\S]*\n100000\nlast\n$/);
    assert.ok(error.stderr.length <= 72 * 1024, `${error.stderr.length} characters`);
    assert.equal(error.exitCode, 3);
    return true;
  });
});

test('children of the child end with it', async () => {
  const script = 'sleep 600 & echo $!; wait';
  const child = startFfmpeg(await runtime(SHELL), { ...RUN, args: ['-c', script] });
  const [line] = await once(child.stdout, 'data');
  const grandchild = Number(line);
  process.kill(grandchild, 0);
  await child[Symbol.asyncDispose]();
  await until(() => !isRunning(grandchild), 'the grandchild has ended');
});

/** A process that has ended may wait for its new parent to reap it. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/\nState:\tZ/.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

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

test('an abort ends a process whose output was only partly read', async () => {
  const controller = new AbortController();
  const args = ['-nostdin', '-v', 'error', '-f', 'lavfi', '-i', 'anullsrc', '-f', 's16le', 'pipe:1'];
  await using child = startFfmpeg(await runtime({ signal: controller.signal }), { ...RUN, args });
  await child.stdout[Symbol.asyncIterator]().next();
  const reason = new Error('enough');
  controller.abort(reason);
  await assert.rejects(child.finished, reason);
});

test('disposing ends a process whose end is not awaited', async () => {
  const child = startFfmpeg(await runtime(), { ...RUN, args: ENDLESS });
  await child[Symbol.asyncDispose]();
  await assert.rejects(child.finished, FfmpegError);
});
