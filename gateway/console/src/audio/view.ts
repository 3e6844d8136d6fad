/** The part of a recording that is shown, in seconds. It is never shorter than a second, and lies within the recording. */

export interface View {
  readonly start: number;
  readonly end: number;
}

const SHORTEST_SECONDS = 1;

export function wholeOf(seconds: number): View {
  return { start: 0, end: seconds };
}

export function isWhole({ start, end }: View, seconds: number): boolean {
  return start <= 0 && end >= seconds;
}

export function isWithin({ start, end }: View, at: number): boolean {
  return at >= start && at <= end;
}

/** From one time to another, in any order. */
export function viewBetween(one: number, other: number, seconds: number): View {
  const span = Math.min(seconds, Math.max(SHORTEST_SECONDS, Math.abs(other - one)));
  return placed((one + other - span) / 2, span, seconds);
}

/** A factor above 1 shows less. What lies at `around` stays in its place. */
export function zoomed({ start, end }: View, factor: number, around: number, seconds: number): View {
  const span = Math.min(seconds, Math.max(SHORTEST_SECONDS, (end - start) / factor));
  const share = Math.min(1, Math.max(0, (around - start) / (end - start)));
  return placed(around - share * span, span, seconds);
}

export function startingAt({ start, end }: View, from: number, seconds: number): View {
  return placed(from, end - start, seconds);
}

/** The same where it has the time already; else as much of the recording, the time near its beginning. */
export function showing(view: View, at: number, seconds: number): View {
  return isWithin(view, at) ? view : startingAt(view, at - (view.end - view.start) / 10, seconds);
}

function placed(from: number, span: number, seconds: number): View {
  const start = Math.max(0, Math.min(seconds - span, from));
  return { start, end: start + span };
}
