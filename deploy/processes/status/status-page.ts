/** The table of all processes as text, drawn every second on a terminal. */
import { describeState, type ProcessState } from '../process/managed-process.ts';
import type { ProcessUsage } from '../process/process-usage.ts';

export interface ProcessRow {
  readonly name: string;
  readonly pid: number | undefined;
  /** For engines, only whether they run is known. */
  readonly state: ProcessState | { readonly kind: 'running' } | { readonly kind: 'gone' };
  readonly restarts: number | undefined;
  readonly usage: ProcessUsage | undefined;
  readonly lastError: string | undefined;
}

const HEADINGS = ['process', 'pid', 'state', 'restarts', 'cpu', 'memory', 'last error'] as const;
/** Numbers are right-aligned. */
const RIGHT_ALIGNED = new Set([1, 3, 4, 5]);

/** No line is longer than `columns`. */
export function renderStatusPage(
  rows: readonly ProcessRow[],
  { logsFolder, upSeconds }: { readonly logsFolder: string; readonly upSeconds: number },
  columns: number,
): string {
  const table = [HEADINGS, ...rows.map(cells)];
  const widths = HEADINGS.map((_, column) => Math.max(...table.map((line) => line[column]?.length ?? 0)));
  const lines = table.map((line) =>
    line
      .map((cell, column) => {
        const width = column === HEADINGS.length - 1 ? 0 : (widths[column] ?? 0);
        return RIGHT_ALIGNED.has(column) ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  '),
  );
  const serving = rows.filter(({ state }) => state.kind === 'ready' || state.kind === 'running').length;
  const summary = `${serving} of ${rows.length} processes serve, up ${describeSeconds(upSeconds)}; logs in ${logsFolder}`;
  return [summary, '', ...lines].map((line) => line.trimEnd().slice(0, columns)).join('\n');
}

function cells({ name, pid, state, restarts, usage, lastError }: ProcessRow): string[] {
  return [
    name,
    String(pid ?? '-'),
    (state.kind === 'running' || state.kind === 'gone' ? state.kind : describeState(state)).slice(0, 40),
    String(restarts ?? ''),
    usage === undefined ? '' : `${usage.cpuPercent.toFixed(0)} %`,
    usage === undefined ? '' : `${(usage.residentBytes / 1024 ** 2).toFixed(0)} MiB`,
    lastError ?? '',
  ];
}

function describeSeconds(seconds: number): string {
  if (seconds < 120) return `${Math.floor(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
