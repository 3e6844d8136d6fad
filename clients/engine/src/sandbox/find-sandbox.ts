/**
 * Determines by trial what a host allows: each way of confining ffmpeg, the strongest first, must block what
 * it should block and let ffmpeg run.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SetupError } from '../setup-error.ts';
import { librariesOf } from './dynamic-program.ts';
import {
  isLaunchFailure,
  type Launcher,
  type Sandbox,
  type SandboxLevel,
  sandboxedCommand,
  UNCONFINED,
} from './sandbox.ts';

/** DECODER_SANDBOX */
export const SANDBOX_MODES = ['required', 'preferred', 'off'] as const;
export type SandboxMode = (typeof SANDBOX_MODES)[number];

/** The same path for the source tree and for its compiled form, wherever that is installed. */
const PACKAGE_FOLDER = packageFolder(import.meta.dirname);
const TRIAL_TIMEOUT_MS = 10_000;
const TIMED_OUT = `the trial took longer than ${TRIAL_TIMEOUT_MS / 1_000} s`;
const TRIAL_LIMITS = { cpuSeconds: 10, fileSizeBytes: 0 };
/** Names of errors of system calls that show what a host lacks. */
const EACCES = 13;
const CAUSES: Readonly<Record<number, string>> = {
  1: "the container's seccomp profile refuses it; newer runtimes allow it",
  38: 'the kernel does not have it: Linux 5.13 or newer does, gVisor does not',
  95: 'the kernel has it switched off: the boot option lsm= names what is on',
};

/** Throws SetupError if the level must be `full` and is not. */
export async function openSandbox(mode: SandboxMode, ffmpegPath: string): Promise<Sandbox> {
  if (mode === 'off') return { ...UNCONFINED, shortfall: 'DECODER_SANDBOX is off' };
  const sandbox = await findSandbox(ffmpegPath);
  if (mode === 'required' && sandbox.level !== 'full') {
    const allowed = `preferred or off, as the sandbox of ffmpeg is ${sandbox.level} here: ${sandbox.shortfall}`;
    throw new SetupError('DECODER_SANDBOX', mode, allowed);
  }
  return sandbox;
}

const found = new Map<string, Promise<Sandbox>>();

/** The strongest sandbox in which this ffmpeg runs; determined at the first call for each binary. */
export function findSandbox(ffmpegPath: string): Promise<Sandbox> {
  const sandbox = found.get(ffmpegPath) ?? trySandboxes(ffmpegPath);
  found.set(ffmpegPath, sandbox);
  return sandbox;
}

async function trySandboxes(ffmpegPath: string): Promise<Sandbox> {
  const { platform, arch } = process;
  if (platform !== 'linux' || (arch !== 'x64' && arch !== 'arm64'))
    return { level: 'none', shortfall: `there is no sandbox for ${platform} on ${arch}` };
  const libraries = await librariesOf(ffmpegPath).catch(() => []);
  const isDynamic = libraries.length > 0;
  const filter = isDynamic ? 'dynamic' : 'static';
  const path = join(PACKAGE_FOLDER, `sandbox/sandbox-${arch}`);
  let shortfall = isDynamic ? `${ffmpegPath} is linked dynamically, so it may map code` : undefined;
  const confined = [
    { hasLandlock: true, filter },
    { hasLandlock: false, filter },
    { hasLandlock: true, filter: undefined },
    { hasLandlock: false, filter: undefined },
  ] as const;
  for (const { hasLandlock, filter } of confined) {
    const launcher: Launcher = { path, hasLandlock, filter, libraries };
    let failure = await failureOf(launcher, ffmpegPath);
    // If a machine is busy for a while, a weaker sandbox must not remain for the lifetime of the process.
    if (failure?.endsWith(TIMED_OUT)) failure = await failureOf(launcher, ffmpegPath);
    if (failure === undefined) {
      return { level: levelOf(launcher), launcher, ...(shortfall === undefined ? {} : { shortfall }) };
    }
    shortfall ??= failure;
  }
  return { level: 'none', ...(shortfall === undefined ? {} : { shortfall }) };
}

function levelOf({ hasLandlock, filter }: Launcher): SandboxLevel {
  if (hasLandlock && filter === 'static') return 'full';
  return hasLandlock || filter !== undefined ? 'partial' : 'none';
}

/** What is missing for this way of confining on this host; undefined if it works. */
async function failureOf(launcher: Launcher, ffmpegPath: string): Promise<string | undefined> {
  const attempt = (what: string) => trial(launcher, [launcher.path, `--try=${what}`]);
  if (launcher.hasLandlock) {
    const environ = await attempt('environ');
    if (environ.exitCode !== EACCES) return explain('Landlock', environ);
  }
  for (const what of launcher.filter === undefined ? [] : ['socket', 'fork']) {
    const outcome = await attempt(what);
    if (outcome.signal !== 'SIGSYS') return explain('seccomp', outcome);
  }
  const version = await trial(launcher, [ffmpegPath, '-version']);
  return version.exitCode === 0 ? undefined : explain('ffmpeg in the sandbox', version);
}

interface Outcome {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stderr: string;
}

function trial(launcher: Launcher, command: readonly [string, ...string[]]): Promise<Outcome> {
  const sandbox: Sandbox = { level: 'none', launcher };
  const [file, ...args] = sandboxedCommand(sandbox, { command, limits: TRIAL_LIMITS });
  return new Promise((resolve) => {
    execFile(file, args, { timeout: TRIAL_TIMEOUT_MS, env: {} }, (error, _, stderr) => {
      const exitCode = typeof error?.code === 'number' ? error.code : null;
      resolve({
        exitCode: error === null ? 0 : exitCode,
        signal: error?.signal ?? null,
        stderr: error?.killed ? TIMED_OUT : stderr || (error?.message ?? ''),
      });
    });
  });
}

function explain(what: string, { exitCode, signal, stderr }: Outcome): string {
  const line = stderr.trim().split('\n', 1)[0] ?? '';
  if (line === TIMED_OUT) return `${what}: ${line}`;
  if (isLaunchFailure(exitCode, stderr)) {
    const cause = CAUSES[Number(/\(errno (\d+)\)$/.exec(line)?.[1])];
    return `${line.replace(/^sandbox:/, 'the launcher')}${cause === undefined ? '' : `: ${cause}`}`;
  }
  const end = signal === null ? `exit code ${exitCode}` : signal;
  return `${what} does not hold (${line === '' ? end : line})`;
}

function packageFolder(folder: string): string {
  const parent = dirname(folder);
  return parent === folder || existsSync(join(folder, 'package.json')) ? folder : packageFolder(parent);
}
