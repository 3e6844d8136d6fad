import { until } from '@audiosplit/chassis/testing/until';

const PATIENCE_MS = 30_000;

/** A fault that nobody has met proves nothing: it stays until somebody has. Rejects when nobody comes. */
export async function untilHit(hits: () => number | Promise<number>): Promise<string> {
  await until(async () => (await hits()) > 0, 'somebody meets the fault', PATIENCE_MS);
  return `${await hits()} requests met it`;
}
