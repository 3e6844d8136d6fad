import { constants } from 'node:os';

/** The reason of an abort by SIGINT or SIGTERM. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly exitCode: number;
  constructor(signal: NodeJS.Signals) {
    super(`interrupted by ${signal}`);
    this.exitCode = signalExitCode(signal);
  }
}

/** By the convention of POSIX shells: 128 and the number of the signal. */
export function signalExitCode(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/** Calls back on SIGINT and SIGTERM, which then no longer end this process. */
export function onInterruption(callback: (signal: NodeJS.Signals) => void): void {
  process.on('SIGINT', callback);
  process.on('SIGTERM', callback);
}
