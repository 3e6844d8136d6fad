/** A splitter on a kernel, or in a container profile, that lacks what the sandbox requires. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { resolveFfmpegPath } from '@audiosplit/engine/ffmpeg/binary';
import { findSandbox, type SandboxMode } from '@audiosplit/engine/sandbox/find-sandbox';
import { LANDLOCK_CREATE_RULESET, SECCOMP } from '@audiosplit/engine/testing/refuse-system-calls';
import type { StartedSplitter } from './weak-host.fixture.ts';

const { level: hostLevel } = await findSandbox(await resolveFfmpegPath(undefined));
const skip = hostLevel === 'full' ? false : `the level of this host is ${hostLevel}`;

const FLAGS = ['--conditions=audiosplit-source', '--disable-warning=ExperimentalWarning'];
const PINO_WARN = 40;
const CAUSE =
  'the launcher cannot use Landlock (errno 38): the kernel does not have it: Linux 5.13 or newer does, gVisor does not';
const HOSTS = [
  { has: 'seccomp alone', level: 'partial', lacks: [LANDLOCK_CREATE_RULESET] },
  { has: 'neither Landlock nor seccomp', level: 'none', lacks: [LANDLOCK_CREATE_RULESET, SECCOMP] },
] as const;

async function start(mode: SandboxMode, lacks: readonly number[]) {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-weak-host-'));
  const program = join(import.meta.dirname, 'weak-host.fixture.ts');
  const args = [folder.path, mode, constants.errno.ENOSYS, ...lacks].map(String);
  const child = spawn(process.execPath, [...FLAGS, program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { stdout, stderr, exitCode };
}

for (const { has, level, lacks } of HOSTS) {
  test(`on a host with ${has}, a splitter that requires the sandbox exits with a line that names the cause`, {
    skip,
  }, async () => {
    const required = `DECODER_SANDBOX is "required"; allowed: preferred or off, as the sandbox of ffmpeg is ${level} here`;
    assert.deepEqual(await start('required', lacks), {
      stdout: '',
      stderr: `audiosplit-splitter: ${required}: ${CAUSE}\n`,
      exitCode: 1,
    });
  });

  test(`on a host with ${has}, a splitter that prefers the sandbox starts, and reports it in log, gauge and health`, {
    skip,
  }, async () => {
    const { stdout, stderr, exitCode } = await start('preferred', lacks);
    assert.deepEqual([stderr, exitCode], ['', 0]);
    const { log, sandboxes, health }: StartedSplitter = JSON.parse(stdout);
    const [said, ...more] = log.filter((entry) => 'sandbox' in entry);
    assert.deepEqual(more, [], 'once');
    assert.equal(said?.msg, 'ffmpeg is fit, but its sandbox is incomplete');
    assert.deepEqual([said.level, said.sandbox, said.shortfall], [PINO_WARN, level, CAUSE]);
    assert.deepEqual(
      sandboxes,
      ['full', 'partial', 'none'].map(
        (each) => `audiosplit_decoder_sandbox{level="${each}"} ${Number(each === level)}`,
      ),
    );
    assert.deepEqual(health, { 'decoder-sandbox': 'NOT_SERVING', readiness: 'SERVING' });
  });
}
