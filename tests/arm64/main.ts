/**
 * `npm run verify -- arm64`: starts an emulated arm64 machine with Debian's kernel, tries ffmpeg's sandbox in it, and cuts a file
 * with the engine: to mp3, which is a copy, and to wav, which ffmpeg decodes. With `--image` the image for arm64 is then started as
 * in a container, splits the file, and is stopped.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ensureDebianProgram } from '../../deploy/provision/debian-program.ts';
import { flag } from '../../deploy/provision/options.ts';
import { reportedTask, reportTo } from '../../deploy/provision/progress.ts';
import { runTool } from '../../deploy/provision/run-tool.ts';
import { command } from '../harness/command/command.ts';
import { exportImage } from './image.ts';

const STEPS = ['boot', 'sandbox', 'copy', 'convert'];
const IMAGE_STEPS = ['start', 'split', 'stop'];
/** Of the attempts: where the level is not `full`, its tests are skipped. */
const ALL_ATTEMPTS = '# pass 2';
const QEMU = { names: ['qemu-system-aarch64'], packageName: 'qemu-system-arm' };
/** `pauth-impdef`: without hints for hardware, signed pointers are most of what the emulation computes. */
const MACHINE = ['-machine', 'virt,gic-version=3', '-smp', '1', '-m', '4096', '-cpu', 'max,pauth-impdef=on'];
/**
 * Time passes there with each instruction, 1 ns, and jumps when nothing is to do: timeouts of the product are as long as on a
 * processor of 1 GHz, however slow the emulation is.
 */
const CLOCK = ['-icount', 'shift=0,sleep=off'];
const DEVICES = ['-nic', 'none', '-nographic', '-no-reboot'];

const COMMAND = {
  command: 'npm run verify -- arm64',
  options: { image: flag('starts the image there, too, and builds it if it is missing') },
};

await command(COMMAND, async ({ image }, signal) => {
  const task = reportedTask('arm64', reportTo(process.stderr), signal);
  const qemu = await ensureDebianProgram({ title: 'the emulator of arm64', ...QEMU }, task);
  await ensureDebianProgram({ title: 'cpio', names: ['cpio'], packageName: 'cpio' }, task);
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-arm64-'));
  if (image) await exportImage(folder.path, task);
  await task.step('making the machine', () =>
    runTool(join(import.meta.dirname, 'make-machine.sh'), [folder.path], { signal }),
  );

  const files = ['-kernel', join(folder.path, 'kernel'), '-initrd', join(folder.path, 'initramfs')];
  const args = [...MACHINE, ...CLOCK, ...DEVICES, ...files, '-append', 'console=ttyAMA0 quiet panic=-1'];
  const machine = spawn(qemu, args, { stdio: ['ignore', 'pipe', 'inherit'], signal, killSignal: 'SIGKILL' });
  const ended = once(machine, 'exit');
  const missing = new Set([...STEPS, ...(image ? IMAGE_STEPS : []), ALL_ATTEMPTS]);
  for await (const line of createInterface(machine.stdout)) {
    process.stdout.write(`${line}\n`);
    const step = /^audiosplit: (\w+): exit code 0 at /.exec(line)?.[1];
    missing.delete(step ?? line.trim());
  }
  await ended;
  const verdict = missing.size === 0 ? 'all steps have passed' : `missing: ${[...missing].join(', ')}`;
  return { isFine: missing.size === 0, verdict: `arm64, emulated: ${verdict}\n` };
});
