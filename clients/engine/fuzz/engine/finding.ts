/** A case in which the engine violated its interface. */
export interface Finding {
  readonly target: string;
  readonly kind: 'error' | 'unhandled rejection' | 'limit' | 'slow' | 'hang' | 'memory';
  /** Equal for findings with the same cause, judging by their stack. */
  readonly key: string;
  readonly detail: string;
  readonly input: Uint8Array;
  /** Of the campaign. A thread that had to be killed is followed by one with the next seed. */
  readonly seed: number;
  /** Within the campaign, counted from 1. */
  readonly execution: number;
}

/** The error's name and sentence without numbers, and the innermost function of the engine. */
export function keyOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const message = error.message.replaceAll(/\d[\d_]*/g, '#');
  const frame = error.stack?.split('\n').find((line) => line.includes('/engine/src/')) ?? '';
  const place = /at (?:async )?(.*?) ?\(?[^ ]*\/src\/media\/([^:]+)/.exec(frame);
  return `${error.name}: ${message}${place === null ? '' : ` in ${place[1]} (${place[2]})`}`;
}
