import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Writes a run's report, replacing the file; creates its folder. */
export function writeReport(file: string, report: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, report);
}
