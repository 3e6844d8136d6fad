/**
 * Notifies consumers in all processes of new messages of a topic, by LISTEN and NOTIFY; those in the sender's
 * process directly.
 *
 * Notifications are sent after the commit, outside the transaction: inside it, commits would queue for the
 * one lock that keeps notifications in order. Notifications may be lost (a sender that dies after its commit,
 * a listener that reconnects), so a consumer must also poll.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import type { Pool } from '../../postgres/pool.ts';
import type { Logger } from '../../process/log.ts';

export interface Wakeups extends AsyncDisposable {
  /** Wakes all consumers of the topics. Calls during a running notification are merged into one. */
  notify(topics: Iterable<string>): void;
  /** Calls `wake` when a topic may have new messages; returns a function that ends the subscription. */
  onNews(topics: readonly string[], wake: () => void): () => void;
}

const CHANNEL = 'bus_messages';
const RECONNECT_PAUSE_MS = 1_000;

export function startWakeups(pool: Pool, log: Logger): Wakeups {
  const listeners = new Set<{ readonly topics: readonly string[]; readonly wake: () => void }>();
  const stop = new AbortController();
  const unsent = new Set<string>();
  /** Identifies notifications of this process, whose listeners have been called already. */
  const sender = randomUUID();
  let sending: Promise<void> | undefined;

  const wakeAll = () => {
    for (const listener of listeners) listener.wake();
  };

  const wakeListenersTo = (topic: string) => {
    for (const listener of listeners) if (listener.topics.includes(topic)) listener.wake();
  };

  const listen = async () => {
    while (!stop.signal.aborted) {
      let client: PoolClient | undefined;
      try {
        client = await pool.connect();
        const lost = connectionLost(client, stop.signal);
        client.on('notification', ({ payload = '' }) => {
          const [from, topic = ''] = payload.split(' ');
          if (from !== sender) wakeListenersTo(topic);
        });
        await client.query(`listen ${CHANNEL}`);
        wakeAll();
        await lost;
      } catch (error) {
        log.warn({ err: error }, 'no notifications of bus messages; polling until they are back');
        await sleep(RECONNECT_PAUSE_MS, undefined, { signal: stop.signal }).catch(() => undefined);
      } finally {
        client?.release(true);
      }
    }
  };
  const listening = listen();

  const send = async () => {
    while (unsent.size > 0) {
      const topics = [...unsent];
      unsent.clear();
      try {
        // Without waiting for the disk: a notification does not survive a crash of the server anyway.
        await pool.query(
          `with unflushed as materialized (select set_config('synchronous_commit', 'off', true))
           select pg_notify($1, $2 || ' ' || topic) from unflushed, unnest($3::text[]) topic`,
          [CHANNEL, sender, topics],
        );
      } catch (error) {
        log.warn({ err: error }, 'a notification of bus messages failed; consumers find them by polling');
      }
    }
    sending = undefined;
  };

  return {
    notify(topics) {
      for (const topic of topics) {
        unsent.add(topic);
        wakeListenersTo(topic);
      }
      sending ??= send();
    },
    onNews(topics, wake) {
      const listener = { topics, wake };
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all([listening, sending]);
    },
  };
}

/** Rejects when the connection ends, resolves when stopped. */
function connectionLost(client: PoolClient, stop: AbortSignal): Promise<void> {
  const lost = new Promise<void>((resolve, reject) => {
    // A cut connection emits more than one error; each needs a listener.
    client.on('error', reject);
    client.once('end', () => reject(new Error('the connection has ended')));
    stop.addEventListener('abort', () => resolve(), { once: true });
    if (stop.aborted) resolve();
  });
  // It may reject before it is awaited.
  lost.catch(() => undefined);
  return lost;
}
