/** Grafana's k6, built from source once, and a run of it. */
import { spawn } from 'node:child_process';
import { addAbortListener, once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { ensureGoProgram } from '../../deploy/provision/go-program.ts';
import type { Task } from '../../deploy/provision/task.ts';
import { versions } from '../../deploy/provision/versions.ts';
import type { LoadPlan } from '../profiles/plan.ts';

export function ensureK6(task: Task): Promise<string> {
  const { k6: version, k6MinimumGo: minimumGo } = versions;
  return ensureGoProgram({ name: 'k6', package: 'go.k6.io/k6', version, minimumGo }, task);
}

/**
 * The maximum number of periods in the dashboard's plots. A plot needs at least three, and k6 holds all of
 * them in memory.
 */
const MOST_PERIODS = 240;

const SCRIPT = join(import.meta.dirname, '../k6/script.ts');
/** k6's exit code if thresholds were crossed and nothing else went wrong. */
const THRESHOLDS_CROSSED = 99;
const TAIL_LINES = 20;
/** No progress bars, no usage report, no control port; samples are written to standard output. */
const ARGUMENTS = ['run', '--quiet', '--no-usage-report', '--address', '', '--out', 'json=-', SCRIPT];

/**
 * Runs the script to its end; `onLine` receives k6's samples line by line. Throws StartError with the end of
 * k6's output if it could not run, and the signal's reason when aborted.
 */
export async function runK6(
  command: string,
  plan: LoadPlan,
  options: {
    readonly signal: AbortSignal;
    readonly onLine: (line: string) => void;
    readonly dashboard: string;
  },
): Promise<void> {
  const { signal, onLine, dashboard } = options;
  signal.throwIfAborted();
  const periodSeconds = Math.max(1, Math.ceil((plan.settings.minutes * 60) / MOST_PERIODS));
  const child = spawn(command, ARGUMENTS, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      // No search for other builds of k6.
      K6_AUTO_EXTENSION_RESOLUTION: 'false',
      NO_COLOR: '1',
      K6_WEB_DASHBOARD: 'true',
      // No server, only the file.
      K6_WEB_DASHBOARD_PORT: '-1',
      K6_WEB_DASHBOARD_EXPORT: dashboard,
      K6_WEB_DASHBOARD_PERIOD: `${periodSeconds}s`,
      LOAD_PLAN: JSON.stringify(plan),
    },
  });
  const tail: string[] = [];
  createInterface({ input: child.stdout }).on('line', onLine);
  createInterface({ input: child.stderr }).on('line', (line) => {
    tail.push(line);
    if (tail.length > TAIL_LINES) tail.shift();
  });
  using _stop = addAbortListener(signal, () => child.kill('SIGINT'));
  const [code] = await once(child, 'close');
  signal.throwIfAborted();
  if (code !== 0 && code !== THRESHOLDS_CROSSED) {
    throw new StartError(`k6 ended with ${code}:\n${tail.join('\n')}`);
  }
  process.stderr.write(tail.map((line) => `${line}\n`).join(''));
}
