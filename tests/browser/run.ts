/**
 * Brings the browser in where it is missing, and runs the suites in it, or those alone whose names hold a word that is
 * given. `--screenshots` writes pictures of every page to results/console.
 */
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { namedLike } from '../../deploy/provision/command-line.ts';
import { runProvisioned } from '../harness/runner/run-provisioned.ts';
import { testFlags } from '../harness/runner/test-flags.mjs';
import { provideChromium } from './chromium.ts';

const BOUNDS = { concurrency: 1, testTimeoutMs: 180_000, fileTimeoutMs: 480_000 };

await runProvisioned(async (taskOf) => {
  const chromium = await provideChromium(process.env, taskOf('chromium'));
  const words = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
  const all = globSync('*.browser.ts', { cwd: import.meta.dirname });
  const named = words.map((word) => basename(word));
  // Never none: without a file node:test would look for some by itself, all over the project.
  const suites = namedLike(all, named, (name) => name, 'browser suite').map((name) =>
    join(import.meta.dirname, name),
  );
  return {
    args: [...testFlags(BOUNDS), ...suites],
    env: {
      CHROMIUM_PATH: chromium,
      CONSOLE_SCREENSHOTS: process.argv.includes('--screenshots') ? '1' : '',
    },
  };
});
