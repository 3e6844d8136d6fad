/**
 * Brings the browser in where it is missing, and runs the suites in it, or those alone whose names hold a word that is
 * given. `--screenshots` renews docs/console.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { explainFailure } from '../../engines/explain-failure.ts';
import { Interrupted, onInterruption } from '../../engines/interruption.ts';
import { reportedTask, reportTo } from '../../engines/progress.ts';
import { testFlags } from '../test-flags.mjs';
import { provideChromium } from './chromium.ts';

const BOUNDS = { concurrency: 1, testTimeoutMs: 180_000, fileTimeoutMs: 480_000 };

const interruption = new AbortController();
onInterruption((signal) => interruption.abort(new Interrupted(signal)));
try {
  const task = reportedTask('chromium', reportTo(process.stderr), interruption.signal);
  const chromium = await provideChromium(process.env, task);
  const words = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
  const suites = globSync('*.browser.ts', { cwd: import.meta.dirname })
    .filter((name) => words.length === 0 || words.some((word) => name.includes(word)))
    .map((name) => join(import.meta.dirname, name));
  const tests = spawn(process.execPath, [...testFlags(BOUNDS), ...suites], {
    stdio: 'inherit',
    env: {
      ...process.env,
      CHROMIUM_PATH: chromium,
      CONSOLE_SCREENSHOTS: process.argv.includes('--screenshots') ? '1' : '',
    },
  });
  const [code] = (await once(tests, 'exit')) as [number | null];
  process.exitCode = code ?? 1;
} catch (thrown) {
  const error = interruption.signal.aborted ? interruption.signal.reason : thrown;
  process.stderr.write(`\n${explainFailure(error)}`);
  process.exitCode = error instanceof Interrupted ? error.exitCode : 1;
}
