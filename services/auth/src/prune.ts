import { pruneAnswers } from '@audiosplit/chassis/idempotency/store';
import { pruneConsumedEvents } from '@audiosplit/chassis/outbox/outbox';
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import { CALLER_KNOWN_MS } from './sign-in/known-callers.ts';
import { REGISTRATION_WINDOW_MS } from './sign-in/registration-throttle.ts';
import { prunePurged } from './store/account-projections.ts';
import { pruneSecrets } from './store/api-key-secrets.ts';
import { pruneAttempts } from './store/attempt-windows.ts';
import { pruneKnownCallers } from './store/known-callers.ts';
import { pruneLinks } from './store/mailed-links.ts';
import { pruneSessions } from './store/sessions.ts';

/** Twice as long as the bus keeps messages, and longer than access tokens are valid. */
const PURGED_RETENTION_MS = 15 * 86_400_000;

/** Deletes rows that no longer have an effect. */
export async function prune(db: Queryable, now: Date): Promise<void> {
  await pruneSessions(db, now);
  await pruneSecrets(db, now);
  // The longest of all windows.
  await pruneAttempts(db, new Date(now.getTime() - REGISTRATION_WINDOW_MS));
  await pruneKnownCallers(db, new Date(now.getTime() - CALLER_KNOWN_MS));
  await pruneLinks(db, now);
  await prunePurged(db, new Date(now.getTime() - PURGED_RETENTION_MS));
  await pruneAnswers(db, now);
  await pruneConsumedEvents(db);
}
