/**
 * Runs the tests with node's own runner against an embedded Postgres that lives as long as the run.
 * Arguments: test files (all by default) and flags for node's test runner. Suites that need a real engine
 * (`*.engine.test.ts`) belong to `npm run verify -- engines`, and the guide's code belongs to `npm run verify
 * -- guide`.
 */
import { globSync } from 'node:fs';
import { repositoryRoot } from '../../../deploy/launcher.mjs';
import { startOwnPostgres } from '../installation/own-postgres.ts';
import { runNode } from './run-node.ts';
import { parseTestArguments } from './test-arguments.ts';
import { testFlags } from './test-flags.ts';
import { groupTestFiles } from './test-groups.ts';

const PATTERN = '{clients,deploy,gateway,load-tests,proto,services,tests}/**/*.test.ts';

/** Twice the cores of CI, because tests wait half of the time. */
const PROCESSES = 4;

const { names, flags } = parseTestArguments(process.argv.slice(2));
const files =
  names.length > 0
    ? names
    : globSync(PATTERN, { cwd: repositoryRoot, exclude: (path) => path.endsWith('node_modules') })
        .filter((path) => !path.endsWith('.engine.test.ts') && !path.startsWith('tests/guide/'))
        .sort();

process.exit(await main());

async function main(): Promise<number> {
  await using postgres = await startOwnPostgres({ durable: false, maxConnections: 400 });
  const paths = names.length > 0 ? files : await groupTestFiles(files, postgres.folder);
  const bounds = testFlags({ concurrency: PROCESSES, testTimeoutMs: 120_000, fileTimeoutMs: 450_000 });
  return await runNode([...bounds, ...flags, ...paths], {
    // Large pages: starting a child copies the page tables of its parent, of up to 500 MB. Only glibc reads
    // this variable.
    GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1',
    ...process.env,
    TEST_DATABASE_URL: process.env.TEST_DATABASE_URL ?? postgres.url,
  });
}
