/**
 * Runs the tests with node's own runner against an embedded Postgres that lives as long as the run.
 * Arguments: test files (all by default) and flags of node's test runner. Suites that need a real engine
 * (`*.engine.test.ts`) are for `npm run verify -- engines`.
 */
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { access, constants, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../../deploy/embedded/postgres/embedded-postgres.ts';
import { repositoryRoot } from '../../../deploy/launcher.mjs';
import { parseTestArguments } from './test-arguments.ts';
import { testFlags } from './test-flags.ts';
import { groupTestFiles } from './test-groups.ts';

const PATTERNS = [
  'services/*/{src,suites,fuzz}/**/*.test.ts',
  'gateway/{src,generate}/**/*.test.ts',
  'clients/*/src/**/*.test.ts',
  'gateway/console/src/**/*.test.ts',
  'deploy/**/*.test.ts',
  'tests/**/*.test.ts',
  'load-tests/**/*.test.ts',
  'proto/*.test.ts',
];

/** Twice the cores of CI: half of the tests' time is waiting. */
const PROCESSES = 4;
const MEMORY_FOLDER = '/dev/shm';
/** Several times what a run of all tests takes up; a container often has 64 MB. */
const MIN_FREE_MEMORY_BYTES = 1024 ** 3;

const { names, flags } = parseTestArguments(process.argv.slice(2));
const files =
  names.length > 0
    ? names
    : globSync(PATTERNS, { cwd: repositoryRoot, exclude: (path) => path.includes('node_modules') })
        .filter((path) => !path.endsWith('.engine.test.ts'))
        .sort();

const folder = await mkdtemp(join(await chooseFolder(), 'audiosplit-test-'));
const postgres = await startEmbeddedPostgres({
  directory: join(folder, 'postgres'),
  durable: false,
  maxConnections: 400,
});
let code = 1;
try {
  code = await runTests(names.length > 0 ? files : await groupTestFiles(files, folder), {
    ...process.env,
    TEST_DATABASE_URL: process.env.TEST_DATABASE_URL ?? postgres.url,
  });
} finally {
  await postgres[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
}
process.exit(code);

/** Memory where there is enough of it: a test's own database is made there in a tenth of the time. */
async function chooseFolder(): Promise<string> {
  try {
    await access(MEMORY_FOLDER, constants.W_OK);
    const { bavail, bsize } = await statfs(MEMORY_FOLDER);
    return bavail * bsize > MIN_FREE_MEMORY_BYTES ? MEMORY_FOLDER : tmpdir();
  } catch {
    return tmpdir();
  }
}

function runTests(paths: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const args = [
    ...testFlags({ concurrency: PROCESSES, testTimeoutMs: 120_000, fileTimeoutMs: 300_000 }),
    ...flags,
    ...paths,
  ];
  const child = spawn(process.execPath, args, { cwd: repositoryRoot, stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => {
    child.once('error', () => resolve(1));
    child.once('exit', (exitCode) => resolve(exitCode ?? 1));
  });
}
