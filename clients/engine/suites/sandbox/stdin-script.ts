/**
 * Scripts that Node gets by stdin, since they also run in images, which have none of the tests. Each is one file that
 * imports nothing but Node and the modules that its options name, and prints a report in one line.
 */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** What every script is given, beside its own options. */
export interface ScriptOptions {
  /** The folder of the engine's modules, and how their names end. */
  readonly modules: string;
  readonly extension: '.ts' | '.js';
  /** For files and programs of the script: what it writes there may be executed. */
  readonly folder: string;
}

/** Of Node. */
export const FLAGS = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-'];
export const OF_SOURCES: ScriptOptions = {
  modules: join(import.meta.dirname, '../../src'),
  extension: '.ts',
  folder: tmpdir(),
};

/** A module for Node's stdin. */
export async function stdinScript(name: string, options: ScriptOptions): Promise<string> {
  const source = await readFile(join(import.meta.dirname, name), 'utf8');
  const argument = JSON.stringify(JSON.stringify(options));
  return `process.argv[2] = ${argument};\n${stripTypeScriptTypes(source)}`;
}

/** Runs a script on the sources of this repository; resolves with what it printed. */
export async function runScript(
  script: string,
  account: { readonly uid?: number; readonly gid?: number } = {},
): Promise<string> {
  const child = spawn(process.execPath, ['--conditions=audiosplit-source', ...FLAGS], {
    ...account,
    cwd: tmpdir(),
    env: {},
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(script);
  return await text(child.stdout);
}

export function reportIn<Report>(stdout: string): Report {
  return JSON.parse(stdout.split('\n').findLast((line) => line.startsWith('{')) ?? 'null');
}
