/**
 * Moves outbox rows to the bus. One relay per schema is active at a time (a transaction-scoped advisory
 * lock), so that order holds with several replicas. It runs when woken, and at least every `pollMs`: rows
 * whose writer died before it could wake anyone are found then. While the bus is away rows pile up and the
 * relay tries again after a growing pause.
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
  /** Says that rows have been committed. Cheap; many calls become one run. */
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
/** Only processes of other releases leave rows then, and restores. */
const LEFTOVERS_POLL_MS = 5_000;
/** What a relay holds in memory, and keeps a transaction open for, at a time. */
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

  /** Publishes one batch; true when there may be more. */
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
