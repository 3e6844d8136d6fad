/**
 * Moves outbox rows to the bus. One relay per schema is active at a time (a transaction-scoped advisory
 * lock), so the order holds with several replicas. It runs when woken and at least every `pollMs`, which
 * finds rows whose writer died before it could wake the relay. While the bus is unavailable rows accumulate,
 * and the relay retries with growing pauses.
 */
import type { EventBus } from '../event-bus/event-bus.ts';
import { publishTraced } from '../observability/traced-messages.ts';
import { afterCommit } from '../postgres/joined-transaction.ts';
import { type Pool, withTransaction } from '../postgres/pool.ts';
import { publishesAtCommit } from '../postgres/publishing-pools.ts';
import type { Logger } from '../process/log.ts';
import { createSleeper } from '../sleeper.ts';
import { deleteFromOutbox, hasOutboxRows, readOutbox } from './outbox.ts';

interface OutboxRelay extends AsyncDisposable {
  /** Call it after committing rows. It is cheap, and many calls are merged into one run. */
  wake(): void;
}

interface RelayOptions {
  readonly pool: Pool;
  readonly bus: EventBus;
  readonly log: Logger;
  readonly pollMs?: number | undefined;
  readonly batchSize?: number;
}

const MAX_PAUSE_MS = 10_000;
/** In this case only processes of other releases, and restores, leave rows. */
const LEFTOVERS_POLL_MS = 5_000;
/** Maximum that a relay holds in memory, and keeps a transaction open for. */
const MAX_BATCH_BYTES = 4 * 1024 * 1024;

export function startOutboxRelay({
  pool,
  bus,
  log,
  pollMs = publishesAtCommit(pool) ? LEFTOVERS_POLL_MS : 1_000,
  batchSize = 200,
}: RelayOptions): OutboxRelay {
  let stopped = false;
  let woken = true;
  const sleeper = createSleeper();
  let failures = 0;

  /** Publishes one batch; true if there may be more rows. */
  const relayBatch = () =>
    withTransaction(pool, async (client) => {
      const { rows } = await client.query<{ mine: boolean }>(
        "select pg_try_advisory_xact_lock(hashtext('outbox'), hashtext(current_schema())) as mine",
      );
      if (rows[0]?.mine !== true) return false;
      const { rows: batch, isFull } = await readOutbox(client, {
        maxRows: batchSize,
        maxBytes: MAX_BATCH_BYTES,
      });
      if (batch.length === 0) return false;
      await publishTraced(batch, (messages) => bus.publish(messages));
      await deleteFromOutbox(
        client,
        batch.map((row) => row.id),
      );
      return isFull;
    });

  const run = async () => {
    while (!stopped) {
      const isPoll = !woken;
      woken = false;
      try {
        if (!isPoll || (await hasOutboxRows(pool))) while (await relayBatch());
        if (failures > 0) log.info('the outbox drains again');
        failures = 0;
      } catch (error) {
        if (failures === 0) log.warn({ err: error }, 'the outbox cannot be published; its rows are kept');
        failures += 1;
      }
      if (stopped) break;
      if (failures > 0) await sleeper.sleep(Math.min(MAX_PAUSE_MS, 100 * 2 ** Math.min(failures, 10)));
      else if (!woken) await sleeper.sleep(pollMs);
    }
  };
  const running = run();

  return {
    wake() {
      if (publishesAtCommit(pool)) return;
      afterCommit(() => {
        woken = true;
        if (failures === 0) sleeper.wake();
      });
    },
    async [Symbol.asyncDispose]() {
      stopped = true;
      sleeper.wake();
      await running;
    },
  };
}
