import { formatBytes, formatClock } from '../options/quantities.ts';

export type Phase = 'upload' | 'split' | 'download';

/** What one line of progress shows. */
export interface ProgressView {
  readonly phase: Phase;
  readonly done: number;
  /** At least 0. */
  readonly total: number;
  readonly unit: 'bytes' | 'percent';
  readonly unitsPerSecond: number | undefined;
  readonly secondsLeft: number | undefined;
  /** Why nothing moves, such as a rate limit. */
  readonly note: string | undefined;
}

const PHASE_COLUMNS = 'download'.length;
const MAX_BAR_COLUMNS = 30;
const MIN_BAR_COLUMNS = 8;

/** For a terminal: never wider than it, so that a carriage return is enough to draw over it. */
export function renderBar(view: ProgressView, columns: number): string {
  const percent = percentOf(view);
  const before = `${view.phase.padEnd(PHASE_COLUMNS)} `;
  const after = ` ${String(percent).padStart(3)}%${facts(view)
    .map((fact) => `  ${fact}`)
    .join('')}`;
  const width = Math.min(MAX_BAR_COLUMNS, columns - 1 - before.length - after.length);
  const filled = Math.floor((width * percent) / 100);
  const bar = width < MIN_BAR_COLUMNS ? '' : '█'.repeat(filled) + '░'.repeat(width - filled);
  return (before + bar + after).slice(0, Math.max(0, columns - 1));
}

/** For a log: the same facts in words. */
export function renderPlain(view: ProgressView): string {
  return [`${view.phase} ${percentOf(view)}%`, ...facts(view)].join(', ');
}

/** Rounded down: 100 only when all is done. */
function percentOf({ done, total }: ProgressView): number {
  if (total <= 0) return 0;
  return Math.min(100, Math.max(0, Math.floor((done / total) * 100)));
}

function facts({ unit, unitsPerSecond, secondsLeft, note }: ProgressView): string[] {
  return [
    ...(unitsPerSecond === undefined ? [] : [rateText(unit, unitsPerSecond)]),
    ...(secondsLeft === undefined ? [] : [`${formatClock(secondsLeft)} left`]),
    ...(note === undefined ? [] : [note]),
  ];
}

function rateText(unit: ProgressView['unit'], unitsPerSecond: number): string {
  switch (unit) {
    case 'bytes':
      return `${formatBytes(unitsPerSecond)}/s`;
    case 'percent':
      return `${unitsPerSecond.toFixed(1)} %/s`;
    default:
      return unit satisfies never;
  }
}
