import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempDisposable, stat } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { resolveFfmpegPath } from './binary.ts';
import {
  type Confinement,
  confinedCommand,
  describeConfinement,
  hostConfinement,
  isLaunchFailure,
  UNCONFINED,
} from './confinement.ts';
import { ADDRESS_SPACE_BYTES, MAX_OPEN_FILES, type ResourceLimits } from './limits.ts';
import { FfmpegError, type FfmpegProcess, startFfmpeg } from './run.ts';

const host = await hostConfinement();
/** The tests of limits hold where the host has prlimit; where it has none, they hold it to the opposite. */
const isLimited = host.prlimitPath !== undefined;
const isIsolated = host.networkIsolation !== undefined;

interface Run {
  readonly confinement?: Confinement;
  readonly limits?: ResourceLimits;
  readonly workDir?: string;
}

function start(command: string, args: readonly string[], run: Run = {}): FfmpegProcess {
  const { confinement = host, limits = { cpuSeconds: 20 }, workDir = tmpdir() } = run;
  const { signal } = new AbortController();
  return startFfmpeg(
    { ffmpegPath: command, confinement, workDir, signal },
    { args, limits, wallLimitMs: 30_000, stdin: 'ignore' },
  );
}

/** Resolves to how it failed; rejects where it did not. */
async function failureOf(child: FfmpegProcess): Promise<FfmpegError> {
  child.stdout.resume();
  const failure = await child.finished.catch((error: unknown) => error);
  assert.ok(failure instanceof FfmpegError, 'the child ended well');
  return failure;
}

test(`this host gives: ${describeConfinement(host)}`, () => {
  const command = confinedCommand(host, { cpuSeconds: 1 }, ['ffmpeg', '-version']);
  assert.deepEqual(command.slice(-2), ['ffmpeg', '-version']);
  assert.equal(
    command.some((word) => word.endsWith('/unshare')),
    isIsolated,
  );
  assert.equal(
    command.some((word) => word.endsWith('/prlimit')),
    isLimited,
  );
  assert.deepEqual(confinedCommand(UNCONFINED, { cpuSeconds: 1 }, ['ffmpeg']), ['ffmpeg']);
  assert.equal(describeConfinement(UNCONFINED), "no resource limits, the host's network");
});

test(`a child ${isIsolated ? 'cannot reach' : 'reaches, on this host,'} a listener on loopback`, async () => {
  let connections = 0;
  const listener = createServer((socket) => {
    connections += 1;
    socket.end('RIFF');
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  try {
    const url = `tcp://127.0.0.1:${(listener.address() as AddressInfo).port}`;
    // The build that npm brings has a network of its own to try with, unlike the project's.
    const ffmpeg = await resolveFfmpegPath(undefined);
    const args = ['-nostdin', '-v', 'error', '-f', 'wav', '-i', url, '-f', 'null', '-'];
    await using open = start(ffmpeg, args, { confinement: { ...host, networkIsolation: undefined } });
    await failureOf(open);
    assert.equal(connections, 1, 'without isolation the same child connects');

    await using child = start(ffmpeg, args);
    const { stderr } = await failureOf(child);
    assert.equal(connections, isIsolated ? 1 : 2);
    if (isIsolated) assert.match(stderr, /Network is unreachable/);
  } finally {
    listener.close();
  }
});

test(`the limits ${isLimited ? 'are' : 'cannot be set on this host, and are not'} those of the child`, async () => {
  await using child = start('/bin/cat', ['/proc/self/limits'], {
    limits: { cpuSeconds: 6.2, fileSizeBytes: 100_000.5 },
  });
  const limits = await text(child.stdout);
  const rows = [
    /^Max cpu time +7 +12 +seconds/m,
    /^Max file size +100001 +100001 +bytes/m,
    new RegExp(`^Max address space +${ADDRESS_SPACE_BYTES} +${ADDRESS_SPACE_BYTES} +bytes`, 'm'),
    new RegExp(`^Max open files +${MAX_OPEN_FILES} +${MAX_OPEN_FILES} +files`, 'm'),
    /^Max core file size +0 +0 +bytes/m,
  ];
  for (const row of rows) assert.equal(row.test(limits), isLimited, `${row} in ${limits}`);
});

if (isLimited) {
  test('a child that computes without end gets SIGXCPU', async () => {
    await using child = start('/bin/sh', ['-c', 'while :; do :; done'], { limits: { cpuSeconds: 1 } });
    assert.equal((await failureOf(child)).exitSignal, 'SIGXCPU');
  });

  test('a child that asks for more memory than there may be gets none', async () => {
    await using child = start('/bin/dd', ['if=/dev/zero', 'of=/dev/null', 'bs=2G', 'count=1']);
    assert.match((await failureOf(child)).stderr, /memory/);
  });

  test('a child that writes a file without end is stopped at the limit', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-limits-'));
    await using child = start('/bin/dd', ['if=/dev/zero', 'of=large.raw', 'bs=4096'], {
      limits: { cpuSeconds: 5, fileSizeBytes: 100_000 },
      workDir: folder.path,
    });
    assert.ok(['SIGXFSZ', null].includes((await failureOf(child)).exitSignal));
    assert.equal((await stat(join(folder.path, 'large.raw'))).size, 100_000);
  });
}

test('a chain that breaks before the child starts is distinguished from a child that fails', async () => {
  assert.ok(isLaunchFailure('unshare: unshare failed: No space left on device\n'));
  assert.ok(
    isLaunchFailure('/usr/bin/prlimit: failed to set the CPU resource limit: Operation not permitted'),
  );
  assert.ok(!isLaunchFailure('[wav @ 0x1] invalid start code\nunshare: no'));
  const networkIsolation = [
    '/bin/sh',
    '-c',
    'echo "unshare: unshare failed: Operation not permitted" >&2; exit 1',
  ];
  await using child = start('/bin/true', [], { confinement: { ...UNCONFINED, networkIsolation } });
  const failure = await failureOf(child);
  assert.deepEqual([failure.message, failure.exitCode], ['ffmpeg could not be started.', null]);
});
