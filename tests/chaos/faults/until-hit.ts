import { until } from '@audiosplit/chassis/testing/until';

const TIMEOUT_MS = 30_000;

/** Keeps a fault until a request has met it, because a fault without effect proves nothing. Rejects at the timeout. */
export async function untilHit(hits: () => number | Promise<number>): Promise<string> {
  await until(async () => (await hits()) > 0, 'a request meets the fault', TIMEOUT_MS);
  return `${await hits()} requests met it`;
}
