/** The attempts of an exploited ffmpeg, for the process that is to run them, and how they may end. */
import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import type { AttemptOptions, AttemptReport } from './try-attempts.ts';

/** What no sandbox of this kind refuses: docs/security.md. */
const KNOWN = new Set(['stat a known path', 'start a thread']);
const MIN_ATTEMPTS = 74;

/** What Node reads from stdin. */
export const FLAGS = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-'];

/** A module for Node's stdin. */
export async function attemptsScript(options: Omit<AttemptOptions, 'program'>): Promise<string> {
  const program = await readFile(join(import.meta.dirname, `attempts-${process.arch}`), 'base64');
  const source = await readFile(join(import.meta.dirname, 'try-attempts.ts'), 'utf8');
  const argument = JSON.stringify(JSON.stringify({ ...options, program }));
  return `process.argv[2] = ${argument};\n${stripTypeScriptTypes(source)}`;
}

export function parseReport(stdout: string): AttemptReport {
  return JSON.parse(stdout.split('\n').findLast((line) => line.startsWith('{')) ?? 'null');
}

/** What a whole sandbox should not have allowed; empty where it holds. */
export function breachesOf({ level, shortfall, outcomes, isServiceAlive }: AttemptReport): readonly string[] {
  const unknown = outcomes.filter(
    ({ name, confined }) => !['refused', 'killed'].includes(confined) && !KNOWN.has(name),
  );
  return [
    ...(level === 'full' ? [] : [`the level is ${level}: ${shortfall}`]),
    ...(outcomes.length >= MIN_ATTEMPTS ? [] : [`there are only ${outcomes.length} attempts`]),
    ...(isServiceAlive ? [] : ['the service has ended']),
    ...unknown.map(({ name, confined }) => `${name}: ${confined}`),
  ];
}
