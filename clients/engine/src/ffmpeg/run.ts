/**
 * Runs ffmpeg as a child process that cannot outlive its job.
 *
 * The child leads its own process group. On abort, at the wall limit and on disposal the whole group gets
 * SIGKILL; a gentler signal is unnecessary, because nothing that the child has written is kept in those
 * cases. It gets no shell, no inherited environment and a private working folder. Its stderr is read
 * completely, but only the head (where ffmpeg describes the streams) and the tail (where it reports why it
 * failed) are kept.
 *
 * Failures: the binary is missing or cannot be started (`FfmpegError` without an exit code), it fails
 * (`FfmpegError` with the exit code or the signal), it reaches the wall limit (`FfmpegError`), the caller
 * aborts (the signal's reason), or it makes a system call that no codec makes (a `MediaError`, which ends the
 * whole split: nothing of such a source is used).
 */
import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { MediaError } from '../media-error.ts';
import type { ResourceLimits } from '../sandbox/limits.ts';
import {
  isLaunchFailure,
  type Sandbox,
  type SandboxedCommand,
  sandboxedCommand,
} from '../sandbox/sandbox.ts';

const STDERR_HEAD_BYTES = 64 * 1024;
const STDERR_TAIL_BYTES = 8 * 1024;

/** The parameters common to all processes of one job. */
export interface FfmpegRuntime {
  readonly ffmpegPath: string;
  readonly sandbox: Sandbox;
  /** Private to the job. */
  readonly workDir: string;
  readonly signal: AbortSignal;
  /** Aborts `signal`. */
  readonly stop: (reason: unknown) => void;
}

/**
 * `reads` and `writes` are names in the working folder, or `reads` is the absolute path of a source on this
 * machine.
 */
export interface FfmpegRun extends Pick<SandboxedCommand, 'reads' | 'writes'> {
  readonly args: readonly string[];
  readonly limits: ResourceLimits;
  readonly wallLimitMs: number;
  /** The kept head of stderr; by default enough for one stream with its tags. */
  readonly stderrHeadBytes?: number;
  readonly stdin: 'ignore' | 'pipe' | number;
}

interface FfmpegErrorOptions extends ErrorOptions {
  readonly exitCode?: number | null;
  readonly exitSignal?: NodeJS.Signals | null;
  readonly stderr?: string;
}

export class FfmpegError extends Error {
  override readonly name = 'FfmpegError';
  readonly exitCode: number | null;
  readonly exitSignal: NodeJS.Signals | null;
  readonly stderr: string;
  constructor(
    message: string,
    { exitCode = null, exitSignal = null, stderr = '', ...options }: FfmpegErrorOptions = {},
  ) {
    super(message, options);
    this.exitCode = exitCode;
    this.exitSignal = exitSignal;
    // Errors are logged, and a listing may have megabytes.
    this.stderr =
      stderr.slice(0, STDERR_HEAD_BYTES) + stderr.slice(STDERR_HEAD_BYTES).slice(-STDERR_TAIL_BYTES);
  }
}

export interface FfmpegProcess extends AsyncDisposable {
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  /** Pipe 3, for a second output. */
  readonly sideOutput: Readable;
  /** The kept part of stderr so far. */
  stderr(): string;
  /** Resolves on exit code 0. */
  readonly finished: Promise<void>;
}

/** Starts a process. Failures reject `finished`, and are marked as handled until it is awaited. */
export function startFfmpeg(runtime: FfmpegRuntime, run: FfmpegRun): FfmpegProcess {
  runtime.signal.throwIfAborted();
  const [command, ...args] = sandboxedCommand(runtime.sandbox, {
    ...run,
    command: [runtime.ffmpegPath, ...run.args],
  });
  const child = spawn(command, args, {
    cwd: runtime.workDir,
    detached: true,
    shell: false,
    env: { LC_ALL: 'C', AV_LOG_FORCE_NOCOLOR: '1' },
    stdio: [run.stdin, 'pipe', 'pipe', 'pipe'],
  });
  const stdout = child.stdio[1] as Readable;
  const stderrStream = child.stdio[2] as Readable;
  const sideOutput = child.stdio[3] as Readable;

  const { stderrHeadBytes = STDERR_HEAD_BYTES } = run;
  let head = '';
  let tail = '';
  stderrStream.setEncoding('utf8').on('data', (text: string) => {
    const room = stderrHeadBytes - head.length;
    head += text.slice(0, Math.max(0, room));
    tail = (tail + text.slice(Math.max(0, room))).slice(-STDERR_TAIL_BYTES);
  });
  const stderr = (): string => head + tail;

  const killGroup = (): void => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // ESRCH: it has ended meanwhile.
    }
  };
  let overTime = false;
  const wallTimer = setTimeout(() => {
    overTime = true;
    killGroup();
  }, run.wallLimitMs);
  const onAbort = (): void => {
    killGroup();
    // Output that its reader has abandoned would prevent 'close'.
    const { reason } = runtime.signal;
    for (const stream of [stdout, sideOutput]) stream.destroy(reason instanceof Error ? reason : undefined);
  };
  runtime.signal.addEventListener('abort', onAbort, { once: true });

  const finished = new Promise<void>((resolve, reject) => {
    const settle = (): void => {
      clearTimeout(wallTimer);
      runtime.signal.removeEventListener('abort', onAbort);
    };
    child.once('error', (error) => {
      settle();
      reject(new FfmpegError('ffmpeg could not be started.', { cause: error }));
    });
    // An output without a reader would prevent 'close'.
    child.once('exit', () => {
      if (sideOutput.readableFlowing === null && sideOutput.listenerCount('readable') === 0)
        sideOutput.resume();
    });
    // 'close' instead of 'exit': only then has all of stderr arrived.
    child.once('close', (exitCode, exitSignal) => {
      settle();
      const failure = (message: string): FfmpegError =>
        new FfmpegError(message, { exitCode, exitSignal, stderr: stderr() });
      if (exitSignal === 'SIGSYS') {
        const attack = attackError(failure('ffmpeg made a forbidden system call.'));
        reject(attack);
        runtime.stop(attack);
      } else if (runtime.signal.aborted) reject(runtime.signal.reason);
      else if (overTime) reject(failure(`ffmpeg took longer than ${run.wallLimitMs} ms.`));
      else if (exitCode === 0) resolve();
      else if (isLaunchFailure(exitCode, stderr()))
        reject(new FfmpegError('ffmpeg could not be started.', { stderr: stderr() }));
      else reject(failure('ffmpeg failed.'));
    });
  });
  finished.catch(() => undefined);
  // A child process that ends early closes its end of the pipes; its exit code shows the reason.
  for (const stream of [child.stdin, stdout, sideOutput]) stream?.on('error', () => undefined);

  return {
    stdin: child.stdin,
    stdout,
    sideOutput,
    stderr,
    finished,
    async [Symbol.asyncDispose]() {
      killGroup();
      stdout.destroy();
      sideOutput.destroy();
      await finished.catch(() => undefined);
    },
  };
}

/** The caller gets the same error as for any source that cannot be decoded. */
function attackError(cause: FfmpegError): MediaError {
  const message = 'The source holds no audio that can be decoded.';
  return new MediaError('UNSUPPORTED_MEDIA', message, { cause, isAttack: true });
}
