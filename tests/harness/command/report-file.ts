import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Writes the report of a run, in place of what the file held; makes its folder. */
export function writeReport(file: string, report: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, report);
}
