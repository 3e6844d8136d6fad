/**
 * The life of a process: start, run until stopped, stop within a time limit.
 *
 * SIGTERM or SIGINT disposes the result of `start`. A second signal at least half a second later, or the time
 * limit, ends the process at once. A start that fails prints one line and exits with 1. `fatal` is for parts
 * that fail by themselves (a crashed consumer): the process stops as on a signal, but exits with 1 so that it
 * is restarted.
 *
 * An uncaught error is logged, and the process exits with 1 at once: its memory may be inconsistent, and all
 * pending work is stored elsewhere.
 */

import { messageOf } from '../errors.ts';
import { ConfigError } from './env.ts';
import { createLogger } from './log.ts';

interface ProcessOptions {
  readonly name: string;
  /** Called when the process begins to stop. */
  readonly stopTimeoutMs: () => number;
  /**
   * `inHaste` aborts when SIGINT stopped the process: a person is waiting, so do not delay for callers that
   * have to find another process first.
   */
  readonly start: (fatal: (error: Error) => void, inHaste: AbortSignal) => Promise<AsyncDisposable>;
}

/**
 * A start that cannot succeed under the present conditions; its message is one line that says what to change.
 */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/**
 * A signal to a whole process group arrives twice: from the sender, and forwarded by the launcher. Only a
 * later one means that the user insists.
 */
const SAME_SIGNAL_MS = 500;

export async function runProcess(options: ProcessOptions): Promise<void> {
  endOnUncaughtErrors(options.name);
  const haste = new AbortController();
  let resolveStop: (reason: StopReason) => void = () => undefined;
  const stopRequested = new Promise<StopReason>((resolve) => {
    resolveStop = resolve;
  });
  let isBounded = false;
  const requestStop = (reason: StopReason) => {
    resolveStop(reason);
    // Counts from the first signal, even while the start is still running.
    if (!isBounded) exitAfter(options.name, options.stopTimeoutMs());
    isBounded = true;
  };
  let firstSignalAtMs: number | undefined;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      firstSignalAtMs ??= performance.now();
      if (performance.now() - firstSignalAtMs > SAME_SIGNAL_MS) process.exit(130);
      if (signal === 'SIGINT') haste.abort();
      requestStop({ exitCode: 0 });
    });
  }

  let running: AsyncDisposable;
  try {
    running = await options.start((error) => requestStop({ exitCode: 1, error }), haste.signal);
  } catch (error) {
    process.stderr.write(`${options.name}: ${describeStartFailure(error)}\n`);
    process.exit(1);
  }
  const reason = await stopRequested;
  if (reason.error !== undefined) process.stderr.write(`${options.name}: ${messageOf(reason.error)}\n`);
  try {
    await running[Symbol.asyncDispose]();
  } catch (error) {
    process.stderr.write(`${options.name}: while stopping: ${messageOf(error)}\n`);
    process.exit(1);
  }
  process.exit(reason.exitCode);
}

/** Also called for unhandled rejections, because Node turns them into exceptions. */
function endOnUncaughtErrors(name: string): void {
  process.on('uncaughtException', (error, origin) => {
    createLogger(name, 'error').fatal({ err: error, origin }, `the process ends: ${messageOf(error)}`);
    process.exit(1);
  });
}

function exitAfter(name: string, ms: number): void {
  setTimeout(() => {
    process.stderr.write(`${name}: did not stop within ${ms / 1000} s, leaving\n`);
    process.exit(1);
  }, ms).unref();
}

/** For processes that do one thing and exit: exit code 0, or 1 with the failure in one line. */
export async function runToEnd(name: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    process.stderr.write(`${name}: ${describeStartFailure(error)}\n`);
    process.exit(1);
  }
  process.exit(0);
}

interface StopReason {
  readonly exitCode: number;
  readonly error?: Error;
}

function describeStartFailure(error: unknown): string {
  const isExplained = error instanceof ConfigError || error instanceof StartError;
  if (isExplained || !(error instanceof Error)) return messageOf(error);
  return error.stack ?? error.message;
}
