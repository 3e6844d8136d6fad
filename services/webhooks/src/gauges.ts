/** Gauges of the attempts. */
import type { Clock } from '@audiosplit/chassis/clock';
import type { Pool } from '@audiosplit/chassis/postgres/pool';
import type { AttemptPlaces } from './delivery/attempt-places.ts';
import { expose } from './metrics.ts';
import { countOpenCircuits } from './store/circuits.ts';

export function exposeAttempts(places: Pick<AttemptPlaces, 'taken'>, limit: number): Disposable {
  const exposed = new DisposableStack();
  exposed.use(expose('audiosplit_webhook_attempts_in_flight', () => [{ labels: {}, value: places.taken() }]));
  exposed.use(expose('audiosplit_webhook_attempts_limit', () => [{ labels: {}, value: limit }]));
  return exposed;
}

export function exposeCircuits(pool: Pool, clock: Clock): Disposable {
  return expose('audiosplit_webhook_circuits_open', async () => [
    { labels: {}, value: await countOpenCircuits(pool, clock()) },
  ]);
}
