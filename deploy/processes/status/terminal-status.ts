/** Shows the state of an installation: a table on a terminal, a line for each change elsewhere. */
import type { WriteStream } from 'node:tty';
import type { Installation } from '../installation.ts';
import { describeState, type ManagedProcess } from '../process/managed-process.ts';
import { createUsageMeter } from '../process/process-usage.ts';
import { type ProcessRow, renderStatusPage } from './status-page.ts';

const REDRAW_EVERY_MS = 1_000;
const NARROWEST_COLUMNS = 60;

/** One line, for output without a terminal and for changes before the table is drawn. */
export function describeChange(process: ManagedProcess): string {
  const pid = process.identity()?.pid;
  return `${describeState(process.state())}${pid === undefined ? '' : ` (pid ${pid})`}`;
}

/** From the cursor downwards. Disposing leaves the last state on the screen. */
export function showStatus(installation: Installation, output: WriteStream): Disposable {
  const measure = createUsageMeter();
  const startedMs = performance.now();
  let linesAbove = 0;
  const draw = () => {
    const page = renderStatusPage(
      statusRows(installation, measure),
      { logsFolder: installation.logsFolder, upSeconds: (performance.now() - startedMs) / 1_000 },
      Math.max(output.columns - 1, NARROWEST_COLUMNS),
    );
    const lines = page.split('\n').slice(0, Math.max(output.rows - 1, 3));
    // ECMA-48: CUU goes up, ED 0 erases from there to the end.
    const back = linesAbove === 0 ? '' : `\u001b[${linesAbove}A\u001b[0J`;
    output.write(`${back}${lines.join('\n')}\n`);
    linesAbove = lines.length;
  };
  draw();
  const timer = setInterval(draw, REDRAW_EVERY_MS);
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
      draw();
    },
  };
}

function statusRows(
  { engines, processes }: Installation,
  measure: ReturnType<typeof createUsageMeter>,
): ProcessRow[] {
  const ofEngines = engines().map(({ name, pid, restarts }): ProcessRow => {
    const usage = pid === undefined ? undefined : measure(pid);
    const state = { kind: usage === undefined ? 'gone' : 'running' } as const;
    return { name, pid, state, usage, restarts, lastError: undefined };
  });
  const ofProcesses = processes().map(({ name, identity, state, restarts, log }): ProcessRow => {
    const pid = identity()?.pid;
    const usage = pid === undefined ? undefined : measure(pid);
    return { name, pid, state: state(), restarts: restarts(), usage, lastError: log.lastError() };
  });
  return [...ofEngines, ...ofProcesses];
}
