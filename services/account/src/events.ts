/** What the account service does with the events of others. */
import { consumeOnce } from '@audiosplit/chassis/outbox/outbox';
import { type Pool, type Queryable, withTransaction } from '@audiosplit/chassis/postgres/pool';
import type { Event } from '@audiosplit/proto/events/v1/events';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { deleteAccount, insertAccount } from './store.ts';

const CONSUMER = 'account';

/** Once per event: a registration that is redelivered after the purge brings nothing back. */
export async function handleAccountEvent(pool: Pool, event: Event): Promise<void> {
  await withTransaction(pool, async (client) => {
    if (await consumeOnce(client, CONSUMER, event.id)) await applyAccountEvent(client, event);
  });
}

async function applyAccountEvent(db: Queryable, event: Event): Promise<void> {
  const { accountId, occurredAt, payload } = event;
  switch (payload.case) {
    case 'accountRegistered': {
      if (occurredAt === undefined) throw new Error(`event ${event.id} does not say when it occurred`);
      const { email, name } = payload.value;
      return insertAccount(db, { id: accountId, email, name, createdAt: timestampDate(occurredAt) });
    }
    case 'accountPurged':
      return deleteAccount(db, accountId);
    default:
      // The topic carries more kinds than concern this service, and kinds are added.
      return;
  }
}
