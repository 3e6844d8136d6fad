import { pruneAnswers } from '@audiosplit/chassis/idempotency/store';
import { pruneConsumedEvents } from '@audiosplit/chassis/outbox/outbox';
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import { SIGN_IN_WINDOW_MS } from './sign-in/sign-in-throttle.ts';
import { prunePurged } from './store/account-projections.ts';
import { pruneSecrets } from './store/api-key-secrets.ts';
import { pruneSessions } from './store/sessions.ts';
import { pruneFailures } from './store/sign-in-failures.ts';

/** Twice as long as the bus keeps messages, and longer than access tokens are valid. */
const PURGED_RETENTION_MS = 15 * 86_400_000;

/** Deletes rows that no longer have an effect. */
export async function prune(db: Queryable, now: Date): Promise<void> {
  await pruneSessions(db, now);
  await pruneSecrets(db, now);
  await pruneFailures(db, new Date(now.getTime() - SIGN_IN_WINDOW_MS));
  await prunePurged(db, new Date(now.getTime() - PURGED_RETENTION_MS));
  await pruneAnswers(db, now);
  await pruneConsumedEvents(db);
}
