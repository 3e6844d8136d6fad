/**
 * Connections whose transactions publish their events themselves, directly before they commit, because the
 * bus lies in the same database (migrations/0004_publish_at_commit.sql). The server reports the topics in a
 * notice.
 */
import type pg from 'pg';

export interface PublishAtCommit {
  /** Called after the commit, with each message's topic. */
  readonly onPublished: (topics: readonly string[]) => void;
}

/** For the connections. */
export const PUBLISHING_SETTINGS: Readonly<Record<string, string>> = {
  'audiosplit.bus': 'postgres',
  client_min_messages: 'notice',
};

/** Of the notice. */
const PUBLISHED = 'ASPUB';

const publishing = new WeakSet<object>();

/** Whether messages written to the outbox on this pool or connection need no relay. */
export function publishesAtCommit(db: object): boolean {
  return publishing.has(db);
}

export function watchPublished(pool: pg.Pool, { onPublished }: PublishAtCommit): void {
  publishing.add(pool);
  pool.on('connect', (client) => {
    publishing.add(client);
    let topics: string[] = [];
    client.on('notice', ({ code, detail }) => {
      if (code === PUBLISHED) topics.push(...(detail?.split(' ') ?? []));
    });
    // The notice arrives before the commit is complete; `drain` says that the server is ready for the next
    // query.
    client.on('drain', () => {
      if (topics.length === 0) return;
      const published = topics;
      topics = [];
      onPublished(published);
    });
  });
}
