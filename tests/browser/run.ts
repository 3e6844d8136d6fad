/**
 * `npm run verify -- console`: installs missing browsers and runs the suites in them. Arguments: files or
 * parts of their names (all by default), and flags for node's test runner. `--screenshots` writes screenshots
 * of every page to results/console.
 */
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { namedLike } from '../../deploy/provision/command-line.ts';
import { startOwnPostgres } from '../harness/installation/own-postgres.ts';
import { runProvisioned } from '../harness/runner/run-provisioned.ts';
import { parseTestArguments } from '../harness/runner/test-arguments.ts';
import { testFlags } from '../harness/runner/test-flags.ts';
import { provideChromium } from './chromium.ts';
import { provideFirefox } from './firefox.ts';

const SCREENSHOTS = '--screenshots';
// Each suite has its own product, browser and folders, and mostly waits for them.
const BOUNDS = { concurrency: 3, testTimeoutMs: 180_000, fileTimeoutMs: 480_000 };

await runProvisioned(async (taskOf, stack) => {
  const chromium = await provideChromium(process.env, taskOf('chromium'));
  const firefox = await provideFirefox(process.env, taskOf('firefox'));
  const { names, flags } = parseTestArguments(process.argv.slice(2));
  const all = globSync('*.browser.ts', { cwd: import.meta.dirname });
  const words = names.map((name) => basename(name));
  // Never empty: without a file node:test would search the whole project for tests.
  const suites = namedLike(all, words, (name) => name, 'browser suite').map((name) =>
    join(import.meta.dirname, name),
  );
  // For the suites that simulate a component behind the page: each has its own database on it (open-api.ts).
  const postgres = stack.use(await startOwnPostgres({ durable: false, maxConnections: 400 }));
  return {
    args: [...testFlags(BOUNDS), ...flags.filter((flag) => flag !== SCREENSHOTS), ...suites],
    env: {
      CHROMIUM_PATH: chromium,
      FIREFOX_PATH: firefox,
      TEST_DATABASE_URL: postgres.url,
      CONSOLE_SCREENSHOTS: flags.includes(SCREENSHOTS) ? '1' : '',
    },
  };
});
