/**
 * Writes the report of a run: the verdict in Markdown and all figures as JSON. k6 has exported its dashboard
 * to the same folder.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Results } from '../runner/results.ts';
import { lengthOf } from './numbers.ts';
import { renderVerdict } from './verdict.ts';

/** `file` has no extension. k6 writes the dashboard, except for a run that is too short for a plot. */
export function dashboardFile(file: string): string {
  return `${file}.html`;
}

/** `file` has no extension and its folder exists; existing files are replaced. Returns all paths. */
export function writeReport(results: Results, file: string): readonly string[] {
  const name = basename(file);
  const hasDashboard = existsSync(dashboardFile(file));
  const plots = hasDashboard ? `Plots: [${name}.html](${name}.html). ` : '';
  const { profile, purpose } = results;
  writeFileSync(
    `${file}.md`,
    `# ${profile}: ${lengthOf(results)}\n\n${purpose}\n\n${renderVerdict(results)}\n${plots}Figures: [${name}.json](${name}.json).\n`,
  );
  writeFileSync(`${file}.json`, `${JSON.stringify(results, null, 1)}\n`);
  return [`${file}.md`, ...(hasDashboard ? [dashboardFile(file)] : []), `${file}.json`];
}
