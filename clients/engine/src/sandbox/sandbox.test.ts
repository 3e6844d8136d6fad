import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable, readFile, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { until } from '@audiosplit/chassis/testing/until';
import { resolveFfmpegPath } from '../ffmpeg/binary.ts';
import { FfmpegError, type FfmpegProcess, startFfmpeg } from '../ffmpeg/run.ts';
import { MediaError } from '../media-error.ts';
import { findSandbox } from './find-sandbox.ts';
import { ADDRESS_SPACE_BYTES, MAX_OPEN_FILES } from './limits.ts';
import {
  isLaunchFailure,
  type Sandbox,
  type SandboxedCommand,
  sandboxedCommand,
  UNCONFINED,
} from './sandbox.ts';

// The build from npm can do more than a codec may; these tests try that.
const ffmpegPath = await resolveFfmpegPath(undefined);
const host = await findSandbox(ffmpegPath);
const isFull = host.level === 'full' ? false : `the level of this host is ${host.level}`;
const hasLimits = host.launcher === undefined ? 'this host has no limits' : false;
const limitsOnly: Sandbox = {
  level: 'none',
  ...(host.launcher && { launcher: { ...host.launcher, hasLandlock: false, filter: undefined } }),
};

interface Run extends Partial<Omit<SandboxedCommand, 'command'>> {
  readonly sandbox?: Sandbox;
  readonly workDir?: string;
  readonly stop?: (reason: unknown) => void;
}

function start(command: string, args: readonly string[], run: Run = {}): FfmpegProcess {
  const { sandbox = host, workDir = tmpdir(), limits = { cpuSeconds: 20 }, stop = () => {}, ...files } = run;
  const { signal } = new AbortController();
  return startFfmpeg(
    { ffmpegPath: command, sandbox, workDir, signal, stop },
    { args, limits, wallLimitMs: 30_000, stdin: 'ignore', ...files },
  );
}

/** Resolves with its failure; rejects if it did not fail. */
async function failureOf(child: FfmpegProcess): Promise<unknown> {
  child.stdout.resume();
  return await child.finished.then(
    () => assert.fail('the child ended well'),
    (error: unknown) => error,
  );
}

async function ffmpegFailureOf(child: FfmpegProcess): Promise<FfmpegError> {
  const failure = await failureOf(child);
  assert.ok(failure instanceof FfmpegError, String(failure));
  return failure;
}

const QUIET = ['-nostdin', '-v', 'error'];
const SILENCE = ['-f', 'lavfi', '-i', 'anullsrc=r=8000:cl=mono', '-t', '1'];

test('a child that opens a connection is killed as an attacker', { skip: isFull }, async (context) => {
  let connections = 0;
  const listener = createServer((socket) => {
    connections += 1;
    socket.end('RIFF');
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  context.after(() => listener.close());
  const { port } = listener.address() as AddressInfo;
  const args = [...QUIET, '-f', 'wav', '-i', `tcp://127.0.0.1:${port}`, '-f', 'null', '-'];
  await using open = start(ffmpegPath, args, { sandbox: UNCONFINED });
  await ffmpegFailureOf(open);
  assert.equal(connections, 1, 'without a sandbox the same child connects');

  const stopped: unknown[] = [];
  await using child = start(ffmpegPath, args, { stop: (reason) => stopped.push(reason) });
  const failure = await failureOf(child);
  assert.ok(failure instanceof MediaError);
  assert.deepEqual([failure.failure, failure.isAttack], ['UNSUPPORTED_MEDIA', true]);
  assert.ok(failure.cause instanceof FfmpegError);
  assert.equal(failure.cause.exitSignal, 'SIGSYS');
  assert.deepEqual(stopped, [failure], 'the whole split is stopped');
  assert.equal(connections, 1);
});

test('a child can read only its given file', { skip: isFull }, async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-sandbox-'));
  const workDir = folder.path;
  for (const name of ['mine.raw', 'other.raw']) await writeFile(join(workDir, name), Buffer.alloc(16_000));
  const argsFor = (name: string) => [...QUIET, '-f', 's16le', '-i', name, '-f', 's16le', 'pipe:1'];

  await using child = start(ffmpegPath, argsFor('mine.raw'), { workDir, reads: 'mine.raw' });
  assert.equal((await text(child.stdout)).length, 16_000);
  await child.finished;
  await using other = start(ffmpegPath, argsFor('other.raw'), { workDir, reads: 'mine.raw' });
  assert.match((await ffmpegFailureOf(other)).stderr, /Permission denied/);
});

test('a child can write only its given file', { skip: isFull }, async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-sandbox-'));
  const workDir = folder.path;
  await writeFile(join(workDir, 'mine.wav'), 'x'.repeat(100_000));
  const argsFor = (name: string) => [...QUIET, ...SILENCE, '-y', name];

  await using child = start(ffmpegPath, argsFor('mine.wav'), { workDir, writes: 'mine.wav' });
  child.stdout.resume();
  await child.finished;
  assert.equal((await readFile(join(workDir, 'mine.wav'))).toString('latin1', 0, 4), 'RIFF');
  assert.ok((await stat(join(workDir, 'mine.wav'))).size < 20_000, 'it was made empty beforehand');
  await using other = start(ffmpegPath, argsFor('other.wav'), { workDir, writes: 'mine.wav' });
  assert.match((await ffmpegFailureOf(other)).stderr, /Permission denied/);
});

test('the limits apply to the child', { skip: hasLimits }, async () => {
  await using child = start('/bin/cat', ['/proc/self/limits'], {
    sandbox: limitsOnly,
    limits: { cpuSeconds: 6.2, fileSizeBytes: 100_000.5 },
  });
  const limits = await text(child.stdout);
  for (const row of [
    /^Max cpu time +7 +12 +seconds/m,
    /^Max file size +100001 +100001 +bytes/m,
    new RegExp(`^Max address space +${ADDRESS_SPACE_BYTES} +${ADDRESS_SPACE_BYTES} +bytes`, 'm'),
    new RegExp(`^Max open files +${MAX_OPEN_FILES} +${MAX_OPEN_FILES} +files`, 'm'),
    /^Max core file size +0 +0 +bytes/m,
  ])
    assert.match(limits, row);
});

test('a child that computes without end receives SIGXCPU', { skip: hasLimits }, async () => {
  await using child = start('/bin/sh', ['-c', 'while :; do :; done'], {
    sandbox: limitsOnly,
    limits: { cpuSeconds: 1 },
  });
  assert.equal((await ffmpegFailureOf(child)).exitSignal, 'SIGXCPU');
});

test('a child that requests more memory than the limit gets none', { skip: hasLimits }, async () => {
  const args = ['if=/dev/zero', 'of=/dev/null', 'bs=2G', 'count=1'];
  await using child = start('/bin/dd', args, { sandbox: limitsOnly });
  assert.match((await ffmpegFailureOf(child)).stderr, /memory/);
});

test('a child that writes a file without end is stopped at the limit', { skip: hasLimits }, async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-limits-'));
  await using child = start('/bin/dd', ['if=/dev/zero', 'of=large.raw', 'bs=4096'], {
    sandbox: limitsOnly,
    limits: { cpuSeconds: 5, fileSizeBytes: 100_000 },
    workDir: folder.path,
  });
  assert.ok(['SIGXFSZ', null].includes((await ffmpegFailureOf(child)).exitSignal));
  assert.equal((await stat(join(folder.path, 'large.raw'))).size, 100_000);
});

test('a child ends with the process that started it, even if that is killed', {
  skip: isFull,
}, async () => {
  const endless = [...QUIET, '-re', '-f', 'lavfi', '-i', 'anullsrc', '-f', 'null', '-'];
  const [file, ...args] = sandboxedCommand(host, {
    command: [ffmpegPath, ...endless],
    limits: { cpuSeconds: 20 },
  });
  const program = `
    const { spawn } = require('node:child_process');
    const child = spawn(${JSON.stringify(file)}, ${JSON.stringify(args)}, { detached: true, stdio: 'ignore' });
    child.once('spawn', () => console.log(child.pid));
  `;
  const parent = spawn(process.execPath, ['--eval', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(parent.stdout, 'data');
  const pid = Number(line);
  await until(async () => (await commandOf(pid)).startsWith(ffmpegPath), 'it is ffmpeg');
  parent.kill('SIGKILL');
  await until(async () => (await commandOf(pid)) === '', 'it has ended');
});

/** Empty if it has ended, even if its parent has not reaped it yet. */
async function commandOf(pid: number): Promise<string> {
  return await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
}

test('a launcher that fails before the child starts is distinguished from a child that fails', async () => {
  assert.ok(isLaunchFailure(125, 'sandbox: cannot open source (errno 2)\n'));
  assert.ok(!isLaunchFailure(1, 'sandbox: cannot open source (errno 2)\n'));
  assert.ok(!isLaunchFailure(125, '[wav @ 0x1] invalid start code\nsandbox: no'));
});

test('a child whose file does not exist never runs', { skip: isFull }, async () => {
  await using child = start(ffmpegPath, ['-version'], { reads: 'nowhere.raw' });
  const failure = await ffmpegFailureOf(child);
  assert.deepEqual([failure.message, failure.exitCode], ['ffmpeg could not be started.', null]);
  assert.equal(failure.stderr, 'sandbox: cannot open nowhere.raw (errno 2)\n');
});
