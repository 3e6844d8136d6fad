/** The amount of waiting work, for dashboards and for the autoscaling of splitters. */
import type { Pool } from '@audiosplit/chassis/postgres/pool';
import { expose } from '../metrics.ts';
import { readBacklog } from '../store/backlog.ts';

/** Until disposed. A scrape reads all figures by one query. */
export function exposeBacklog(pool: Pool): Disposable {
  let reading: ReturnType<typeof readBacklog> | undefined;
  const read = () => {
    reading ??= readBacklog(pool).finally(() => {
      reading = undefined;
    });
    return reading;
  };
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
  return exposed.move();
}
