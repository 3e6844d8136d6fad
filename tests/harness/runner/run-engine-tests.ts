/**
 * `npm run verify -- engines`: starts the real engines, runs the contract suites and the tests of compiled processes
 * against them, and stops them. Arguments: files, or parts of their paths (all by default), and flags of node's test runner.
 */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot, sourceFlags } from '../../../deploy/launcher.mjs';
import { namedLike, UsageError } from '../../../deploy/provision/command-line.ts';
import { runNode } from './run-node.ts';
import { parseTestArguments } from './test-arguments.ts';
import { testFlags } from './test-flags.ts';

const PATTERN = '{services,gateway,deploy,tests,load-tests}/**/*.engine.test.ts';
/** Tests of a whole installation, and of a limiter that counts by itself as soon as Redis takes long. */
const ALONE = /^tests\/|\/rate-limit\//;
const TIMEOUTS = { testTimeoutMs: 300_000, fileTimeoutMs: 600_000 };

const { names, flags } = parseTestArguments(process.argv.slice(2));
const all = globSync(PATTERN, {
  cwd: repositoryRoot,
  exclude: (path) => path.endsWith('node_modules'),
}).sort();
try {
  // Never none: without a file node:test would look for some by itself, all over the project.
  const files = namedLike(all, names, (path) => path, 'engine test');
  process.exitCode = process.env.TEST_STORAGE_URL === undefined ? await withEngines() : await runTests(files);
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}. There are:\n${all.map((path) => `  ${path}\n`).join('')}`);
  process.exitCode = 2;
}

/** Runs this file again, with the engines' addresses in its environment. */
function withEngines(): Promise<number> {
  const runWith = join(repositoryRoot, 'deploy/engines/run-with.ts');
  const again = [process.execPath, ...sourceFlags, import.meta.filename, ...process.argv.slice(2)];
  return runNode([...sourceFlags, runWith, '--', ...again]);
}

/** The other suites wait for their one engine most of the time. */
async function runTests(files: readonly string[]): Promise<number> {
  const codes: number[] = [];
  for (const [concurrency, lane] of [
    [2, files.filter((path) => !ALONE.test(path))],
    [1, files.filter((path) => ALONE.test(path))],
  ] as const) {
    if (lane.length === 0) continue;
    codes.push(await runNode([...testFlags({ concurrency, ...TIMEOUTS }), ...flags, ...lane]));
  }
  return codes.find((code) => code !== 0) ?? 0;
}
