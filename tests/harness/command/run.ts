/**
 * The parts that every long run of a suite has: a log, a folder, the time since its start, and an end on a
 * signal.
 */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Report } from '../../../deploy/provision/progress.ts';

export type Run = ReturnType<typeof openRun>;

/** Its folder is `.data/NAME`; its log is `logs/NAME.log` in that folder. */
export function openRun(name: string, signal: AbortSignal) {
  const startedAt = new Date();
  const dataDir = resolve('.data', name);
  const file = join(dataDir, `logs/${name}.log`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '');
  const seconds = () => (Date.now() - startedAt.getTime()) / 1_000;
  /** Writes to the log only. */
  const note = (line: string) => appendFileSync(file, `${new Date().toISOString()} ${line}\n`);
  const aborted = Promise.withResolvers<never>();
  aborted.promise.catch(() => undefined);
  signal.addEventListener('abort', () => aborted.reject(signal.reason), { once: true });
  return {
    startedAt,
    dataDir,
    signal,
    note,
    /** Writes to the terminal and to the log. */
    tell(line: string) {
      process.stdout.write(`${String(Math.round(seconds())).padStart(5)} s  ${line}\n`);
      note(line);
    },
    report: ((part, message) => note(`${part} ${message}`)) satisfies Report,
    seconds,
    /** Rejects with the signal's reason as soon as it is aborted; the work is then no longer awaited. */
    orAborted: <T>(work: Promise<T>): Promise<T> => Promise.race([work, aborted.promise]),
  };
}
