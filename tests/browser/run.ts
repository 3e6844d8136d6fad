/**
 * `npm run verify -- console`: installs the browser where it is missing, and runs the suites in it. Arguments: files, or parts
 * of their names (all by default), and flags of node's test runner. `--screenshots` writes pictures of every page to
 * results/console.
 */
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { namedLike } from '../../deploy/provision/command-line.ts';
import { runProvisioned } from '../harness/runner/run-provisioned.ts';
import { parseTestArguments } from '../harness/runner/test-arguments.ts';
import { testFlags } from '../harness/runner/test-flags.ts';
import { provideChromium } from './chromium.ts';

const SCREENSHOTS = '--screenshots';
// Each suite has a product, a browser and folders of its own, and waits for them most of the time.
const BOUNDS = { concurrency: 3, testTimeoutMs: 180_000, fileTimeoutMs: 480_000 };

await runProvisioned(async (taskOf) => {
  const chromium = await provideChromium(process.env, taskOf('chromium'));
  const { names, flags } = parseTestArguments(process.argv.slice(2));
  const all = globSync('*.browser.ts', { cwd: import.meta.dirname });
  const words = names.map((name) => basename(name));
  // Never none: without a file node:test would look for some by itself, all over the project.
  const suites = namedLike(all, words, (name) => name, 'browser suite').map((name) =>
    join(import.meta.dirname, name),
  );
  return {
    args: [...testFlags(BOUNDS), ...flags.filter((flag) => flag !== SCREENSHOTS), ...suites],
    env: {
      CHROMIUM_PATH: chromium,
      CONSOLE_SCREENSHOTS: flags.includes(SCREENSHOTS) ? '1' : '',
    },
  };
});
