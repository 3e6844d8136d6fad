/** The amount of waiting work, for dashboards and for the autoscaling of splitters. */
import type { Pool } from '@audiosplit/chassis/postgres/pool';
import { expose } from '../metrics.ts';
import { readReservedMinutes } from '../store/minutes.ts';
import { readBacklog } from '../store/queue/backlog.ts';

/** Until disposed. */
export function exposeBacklog(pool: Pool): Disposable {
  const read = shared(() => readBacklog(pool));
  const minutes = shared(() => readReservedMinutes(pool));
  using exposed = new DisposableStack();
  exposed.use(expose('audiosplit_jobs_queued', async () => [{ labels: {}, value: (await read()).queued }]));
  exposed.use(
    expose('audiosplit_jobs_processing', async () => [{ labels: {}, value: (await read()).processing }]),
  );
  exposed.use(
    expose('audiosplit_jobs_runnable', async () => [{ labels: {}, value: (await read()).runnable }]),
  );
  exposed.use(
    expose('audiosplit_jobs_oldest_runnable_age_seconds', async () => [
      { labels: {}, value: (await read()).oldestRunnableSeconds },
    ]),
  );
  exposed.use(
    expose('audiosplit_reserved_source_seconds', async () => [
      { labels: {}, value: (await minutes()).reservedMs / 1_000 },
    ]),
  );
  exposed.use(
    expose('audiosplit_accounts_awaiting_minutes', async () => [
      { labels: {}, value: (await minutes()).accountsAwaiting },
    ]),
  );
  return exposed.move();
}

/** One query for all figures of a scrape. */
function shared<T>(query: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= query().finally(() => {
      running = undefined;
    });
    return running;
  };
}
