import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export interface RunLog {
  /** To the log alone. */
  note(line: string): void;
  /** To the log and the terminal. */
  tell(line: string): void;
}

/** A new file; its folder is made. */
export function openRunLog(file: string, startedAt: Date): RunLog {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '');
  const note = (line: string) => appendFileSync(file, `${new Date().toISOString()} ${line}\n`);
  return {
    note,
    tell(line) {
      const seconds = Math.round((Date.now() - startedAt.getTime()) / 1_000);
      process.stdout.write(`${String(seconds).padStart(5)} s  ${line}\n`);
      note(line);
    },
  };
}
