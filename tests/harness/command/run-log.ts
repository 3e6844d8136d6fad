import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export interface RunLog {
  /** To the terminal and to the file. */
  tell(line: string): void;
  /** To the file alone. */
  note(line: string): void;
}

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
