/**
 * `npm run verify -- engines`: starts the real engines, runs the contract suites and the tests of compiled
 * processes against them, and stops them. Arguments: files or parts of their paths (all by default), and
 * flags for node's test runner.
 */
import { createReadStream, globSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { repositoryRoot, sourceFlags } from '../../../deploy/launcher.mjs';
import { namedLike, UsageError } from '../../../deploy/provision/command-line.ts';
import { onInterruption } from '../../../deploy/provision/interruption.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { runNode } from './run-node.ts';
import { parseTestArguments } from './test-arguments.ts';
import { testFlags } from './test-flags.ts';

const PATTERN = '{services,gateway,deploy,tests,load-tests}/**/*.engine.test.ts';
const RUN_WITH = join(repositoryRoot, 'deploy/engines/run-with.ts');
/** Their assertions depend on timing, and a limiter counts on its own when Redis is slow. */
const TIMED = /\/rate-limit\/|\/several-gateways\.|\/degradation\./;
/** Whole installations, which mostly wait. All of them use the same names of topics and groups. */
const INSTALLATION = /^tests\//;
/** About half of the installation suites, by time. */
const BESIDE = /\/(certificate-rotation|distributed|observability|secret-rotation|secrets)\./;
/** When set, no further lane starts. */
let isInterrupted = false;
const TIMEOUTS = { testTimeoutMs: 300_000, fileTimeoutMs: 600_000 };

const { names, flags } = parseTestArguments(process.argv.slice(2));
const all = globSync(PATTERN, {
  cwd: repositoryRoot,
  exclude: (path) => path.endsWith('node_modules'),
}).sort();
try {
  // Never empty: without a file node:test would search the whole project for tests.
  const files = namedLike(all, names, (path) => path, 'engine test');
  process.exitCode = process.env.TEST_STORAGE_URL === undefined ? await withEngines() : await runTests(files);
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}. There are:\n${all.map((path) => `  ${path}\n`).join('')}`);
  process.exitCode = 2;
}

/** Runs this file again with the engines' addresses in its environment. */
function withEngines(): Promise<number> {
  const again = [process.execPath, ...sourceFlags, import.meta.filename, ...process.argv.slice(2)];
  return runNode([...sourceFlags, RUN_WITH, '--', ...again]);
}

function laneOf(path: string): 'timed' | 'beside' | 'installations' | 'engines' {
  if (TIMED.test(path)) return 'timed';
  if (BESIDE.test(path)) return 'beside';
  return INSTALLATION.test(path) ? 'installations' : 'engines';
}

async function runTests(files: readonly string[]): Promise<number> {
  onInterruption(() => {
    isInterrupted = true;
  });
  const lanes = Object.groupBy(files, laneOf);
  const beside = runBeside(lanes.beside);
  // The other suites mostly wait for their one engine.
  const codes = [await run(lanes.engines, 2), await run(lanes.installations, 1), await beside];
  codes.push(await run(lanes.timed, 1));
  return codes.find((code) => code !== 0) ?? 0;
}

async function run(lane: readonly string[] = [], concurrency: number): Promise<number> {
  return lane.length === 0 || isInterrupted ? 0 : await runNode(testArguments(lane, concurrency));
}

/** On separate engines. Its output is printed in one piece when it ends. */
async function runBeside(lane: readonly string[] = []): Promise<number> {
  if (lane.length === 0) return 0;
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'output');
  const output = await open(path, 'w');
  const command = [process.execPath, ...testArguments(lane, 1)];
  const code = await runNode([...sourceFlags, RUN_WITH, '--', ...command], process.env, output.fd);
  await output.close();
  await pipeline(createReadStream(path), process.stdout, { end: false });
  return code;
}

function testArguments(lane: readonly string[], concurrency: number): readonly string[] {
  return [...testFlags({ concurrency, ...TIMEOUTS }), ...flags, ...lane];
}
