import { useRef } from 'preact/hooks';

interface Sample {
  readonly bytes: number;
  readonly atMs: number;
}

const WINDOW_MS = 10_000;
const LEAST_MS = 1_000;

/** Bytes a second over the last seconds; undefined until something can be said. */
export function useSpeed(bytes: number | undefined): number | undefined {
  const samples = useRef<readonly Sample[]>([]);
  const newest = samples.current.at(-1);
  if (bytes === undefined || bytes < (newest?.bytes ?? 0)) samples.current = [];
  else if (bytes !== newest?.bytes) {
    const atMs = performance.now();
    samples.current = [...samples.current.filter((each) => each.atMs > atMs - WINDOW_MS), { bytes, atMs }];
  }
  const [first] = samples.current;
  const last = samples.current.at(-1);
  if (first === undefined || last === undefined || last.atMs - first.atMs < LEAST_MS) return undefined;
  return ((last.bytes - first.bytes) / (last.atMs - first.atMs)) * 1_000;
}
