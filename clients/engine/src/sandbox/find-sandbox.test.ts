import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { resolveFfmpegPath } from '../ffmpeg/binary.ts';
import { SetupError } from '../setup-error.ts';
import { LANDLOCK_CREATE_RULESET, SECCOMP } from '../testing/refuse-system-calls.ts';
import { findSandbox, openSandbox } from './find-sandbox.ts';
import { sandboxedCommand } from './sandbox.ts';

const ffmpegPath = await resolveFfmpegPath(undefined);
const SOURCE_FLAGS = ['--conditions=audiosplit-source', '--disable-warning=ExperimentalWarning'];
const host = await findSandbox(ffmpegPath);

test(`this host gives the level ${host.level}`, () => {
  assert.equal(host.shortfall === undefined, host.level === 'full');
  const [command] = sandboxedCommand(host, { command: [ffmpegPath], limits: { cpuSeconds: 1 } });
  assert.equal(command, host.launcher?.path ?? ffmpegPath);
});

test('off starts ffmpeg without a sandbox', async () => {
  const sandbox = await openSandbox('off', ffmpegPath);
  assert.deepEqual(sandbox, { level: 'none', shortfall: 'DECODER_SANDBOX is off' });
  const started = sandboxedCommand(sandbox, { command: [ffmpegPath, '-version'], limits: { cpuSeconds: 1 } });
  assert.deepEqual(started, [ffmpegPath, '-version']);
});

test('preferred uses the available level, and required needs the full level', async () => {
  assert.deepEqual(await openSandbox('preferred', ffmpegPath), host);
  if (host.level === 'full') assert.deepEqual(await openSandbox('required', ffmpegPath), host);
});

test('a dynamically linked program is only partly confined, which is not enough if a sandbox is required', async () => {
  const sandbox = await findSandbox('/bin/true');
  if (host.level === 'full') assert.equal(sandbox.level, 'partial');
  assert.notEqual(sandbox.level, 'full');
  await assert.rejects(openSandbox('required', '/bin/true'), (error) => {
    assert.ok(error instanceof SetupError);
    assert.match(error.message, /^DECODER_SANDBOX is "required"; allowed: preferred or off, as .*: .+/);
    return true;
  });
});

const REFUSED = "the container's seccomp profile refuses it; newer runtimes allow it";
const UNKNOWN = 'the kernel does not have it: Linux 5.13 or newer does, gVisor does not';
const OFF = 'the kernel has it switched off: the boot option lsm= names what is on';
for (const [call, errno, error, cause] of [
  [LANDLOCK_CREATE_RULESET, constants.errno.EPERM, 'cannot use Landlock (errno 1)', REFUSED],
  [LANDLOCK_CREATE_RULESET, constants.errno.ENOSYS, 'cannot use Landlock (errno 38)', UNKNOWN],
  [LANDLOCK_CREATE_RULESET, constants.errno.EOPNOTSUPP, 'cannot use Landlock (errno 95)', OFF],
  [SECCOMP, constants.errno.EPERM, 'cannot set a seccomp filter (errno 1)', REFUSED],
  [SECCOMP, constants.errno.ENOSYS, 'cannot set a seccomp filter (errno 38)', UNKNOWN],
] as const) {
  const skip = host.level === 'full' ? false : `the level of this host is ${host.level}`;
  test(`if the launcher ${error}, the operator can read the cause`, { skip }, async () => {
    const program = join(import.meta.dirname, 'refusing-host.fixture.ts');
    const args = [...SOURCE_FLAGS, program, ffmpegPath, String(call), String(errno)];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const found =
      'DECODER_SANDBOX is "required"; allowed: preferred or off, as the sandbox of ffmpeg is partial here';
    assert.equal(stdout, `${found}: the launcher ${error}: ${cause}\n`);
  });
}

for (const platform of ['darwin', 'win32']) {
  test(`${platform} has no sandbox`, async (context) => {
    const { value, ...rest } = Object.getOwnPropertyDescriptor(process, 'platform') ?? {};
    context.after(() => Object.defineProperty(process, 'platform', { value, ...rest }));
    Object.defineProperty(process, 'platform', { value: platform, ...rest });
    const shortfall = `there is no sandbox for ${platform} on ${process.arch}`;
    assert.deepEqual(await findSandbox(`/on/${platform}/ffmpeg`), { level: 'none', shortfall });
  });
}

test('a program that runs in no sandbox has none, and the reason is reported', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-program-'));
  const path = join(folder.path, 'ffmpeg');
  await writeFile(path, '#!/bin/sh\nexit 3\n', { mode: 0o755 });
  const sandbox = await findSandbox(path);
  assert.equal(sandbox.level, 'none');
  assert.equal(sandbox.launcher, undefined);
  assert.ok(sandbox.shortfall);
});
