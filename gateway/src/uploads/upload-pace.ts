/** Whether an upload comes fast enough. Time in which the gateway reads nothing does not count. */
const WINDOW_MS = 30_000;
/** The window moves by this. */
const STEP_MS = 1_000;

interface PaceOptions {
  readonly idleMs: number;
  readonly minBytesPerSecond: number;
  readonly nowMs: number;
}

export interface UploadPace {
  arrived(bytes: number, nowMs: number): void;
  /** The gateway reads nothing until `resumed`. */
  paused(nowMs: number): void;
  resumed(nowMs: number): void;
  /** Undefined while it is fast enough. */
  complaint(nowMs: number): string | undefined;
}

export function createUploadPace({ idleMs, minBytesPerSecond, nowMs: startedAtMs }: PaceOptions): UploadPace {
  let pausedForMs = 0;
  let pausedAtMs: number | undefined;
  /** Bytes of each step of the time in which the gateway has read. */
  const steps = new Map<number, number>();
  const readingMs = (nowMs: number) => (pausedAtMs ?? nowMs) - startedAtMs - pausedForMs;
  let lastByteMs = 0;

  return {
    arrived(bytes, nowMs) {
      const atMs = readingMs(nowMs);
      lastByteMs = atMs;
      const step = Math.floor(atMs / STEP_MS);
      steps.set(step, (steps.get(step) ?? 0) + bytes);
      for (const old of steps.keys()) {
        if (old > step - WINDOW_MS / STEP_MS - 1) break;
        steps.delete(old);
      }
    },
    paused(nowMs) {
      pausedAtMs ??= nowMs;
    },
    resumed(nowMs) {
      if (pausedAtMs !== undefined) pausedForMs += nowMs - pausedAtMs;
      pausedAtMs = undefined;
    },
    complaint(nowMs) {
      const atMs = readingMs(nowMs);
      if (atMs - lastByteMs >= idleMs) return `no byte came for ${idleMs / 1_000} s`;
      if (atMs < WINDOW_MS) return undefined;
      const first = Math.floor((atMs - WINDOW_MS) / STEP_MS);
      let bytes = 0;
      for (const [step, count] of steps) if (step >= first) bytes += count;
      const isSlow = bytes < (minBytesPerSecond * WINDOW_MS) / 1_000;
      return isSlow ? `less than ${minBytesPerSecond} bytes a second came over 30 s` : undefined;
    },
  };
}
