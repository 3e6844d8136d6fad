/**
 * `npm run verify -- engines`: starts the real engines, runs the contract suites and the tests of compiled processes
 * against them, and stops them. Arguments: files, or parts of their paths (all by default), and flags of node's test runner.
 */
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot, sourceFlags } from '../../../deploy/launcher.mjs';
import { namedLike, UsageError } from '../../../deploy/provision/command-line.ts';
import { parseTestArguments } from './test-arguments.ts';
import { testFlags } from './test-flags.ts';

const PATTERN = '{services,gateway,deploy,tests,load-tests}/**/*.engine.test.ts';
const BOUNDS = { concurrency: 1, testTimeoutMs: 300_000, fileTimeoutMs: 600_000 };

const { names, flags } = parseTestArguments(process.argv.slice(2));
const all = globSync(PATTERN, {
  cwd: repositoryRoot,
  exclude: (path) => path.endsWith('node_modules'),
}).sort();
try {
  // Never none: without a file node:test would look for some by itself, all over the project.
  const files = namedLike(all, names, (path) => path, 'engine test');
  const command = [process.execPath, ...testFlags(BOUNDS), ...flags, ...files];
  const runWith = join(repositoryRoot, 'deploy/engines/run-with.ts');
  const child = spawn(process.execPath, [...sourceFlags, runWith, '--', ...command], {
    cwd: repositoryRoot,
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    // A terminal sends Ctrl-C to the child as well.
    process.on(signal, () => (signal !== 'SIGINT' || !process.stdin.isTTY) && child.kill(signal));
  }
  child.once('exit', (code) => {
    process.exitCode = code ?? 1;
  });
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}. There are:\n${all.map((path) => `  ${path}\n`).join('')}`);
  process.exitCode = 2;
}
