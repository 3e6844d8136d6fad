import { type Phase, type ProgressView, renderBar, renderPlain } from './progress-line.ts';
import { createRateEstimate, type RateEstimate, secondsLeft } from './rate-estimate.ts';

export interface Terminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export interface Progress extends Disposable {
  /** Something without figures, such as starting up. */
  say(text: string): void;
  begin(phase: Phase, total: number, unit: ProgressView['unit']): void;
  advance(done: number): void;
  /** Shown beside the figures until the next advance. */
  note(text: string): void;
  /** Draws the present state if it is time to; the owner's timer calls it. */
  tick(): void;
}

const REDRAW_EVERY_MS = 100;
const PLAIN_LINE_EVERY_MS = 3_000;
const FALLBACK_COLUMNS = 80;
/** ANSI: to the first column, and clear the line. */
const CLEAR_LINE = '\r\x1b[K';

interface State {
  readonly phase: Phase;
  readonly total: number;
  readonly unit: ProgressView['unit'];
  readonly rate: RateEstimate;
  done: number;
  note: string | undefined;
}

/**
 * One line that is drawn over on a terminal, or a plain line every 3 s elsewhere. `nowMs` is monotonic.
 * Disposing clears the line, so that whatever is printed next stands alone.
 */
export function createProgress(terminal: Terminal, nowMs: () => number): Progress {
  const isTerminal = terminal.isTTY === true;
  const everyMs = isTerminal ? REDRAW_EVERY_MS : PLAIN_LINE_EVERY_MS;
  let state: State | undefined;
  let drawnAtMs = nowMs();

  const draw = (now: number) => {
    if (state === undefined) return;
    drawnAtMs = now;
    const view = viewOf(state, now);
    const { columns = FALLBACK_COLUMNS } = terminal;
    terminal.write(isTerminal ? CLEAR_LINE + renderBar(view, columns) : `${renderPlain(view)}\n`);
  };
  const drawIfDue = () => {
    const now = nowMs();
    if (now - drawnAtMs >= everyMs) draw(now);
  };

  return {
    say(text) {
      state = undefined;
      terminal.write(isTerminal ? CLEAR_LINE + text : `${text}\n`);
    },
    begin(phase, total, unit) {
      state = { phase, total, unit, rate: createRateEstimate(), done: 0, note: undefined };
      state.rate.add(nowMs(), 0);
      if (isTerminal) draw(nowMs());
      else drawIfDue();
    },
    advance(done) {
      if (state === undefined) return;
      state.done = done;
      state.note = undefined;
      state.rate.add(nowMs(), done);
      drawIfDue();
    },
    note(text) {
      if (state === undefined) return;
      state.note = text;
      draw(nowMs());
    },
    tick: drawIfDue,
    [Symbol.dispose]() {
      state = undefined;
      if (isTerminal) terminal.write(CLEAR_LINE);
    },
  };
}

function viewOf({ rate, ...rest }: State, now: number): ProgressView {
  const unitsPerSecond = rate.perSecond(now);
  return { ...rest, unitsPerSecond, secondsLeft: secondsLeft(rest.done, rest.total, unitsPerSecond) };
}
