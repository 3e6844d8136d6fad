/**
 * Deletion: the states of an account after its holder requested the deletion. Pure functions.
 *
 *     open ──request──▶ pending ──14 days──▶ purged
 *      ▲                   │
 *      └─────restore───────┘
 */
const DAY_MS = 86_400_000;

/** How long an account can be restored. */
const GRACE_MS = 14 * DAY_MS;
/**
 * Promised to the holder. The time after the grace is for services that were down during the purge, and for the bus,
 * which keeps messages for 7 days.
 */
const COMPLETE_AFTER_MS = 30 * DAY_MS;

/** When the purge event is published. The repeats remove what was in flight before, such as a file being written. */
const ANNOUNCED_AFTER_MS = [0, 3_600_000, DAY_MS, 7 * DAY_MS];

/** Longer than any message about an account can be in flight, and still within the promise. */
export const PURGE_REMEMBERED_MS = 15 * DAY_MS;

export interface Deletion {
  readonly accountId: string;
  readonly requestedAt: Date;
  readonly purgeAt: Date;
  /** All data is deleted by then. */
  readonly completeBy: Date;
}

export interface Purge {
  readonly accountId: string;
  readonly purgedAt: Date;
  /** How often the event was published. */
  readonly announcements: number;
}

export function planDeletion(accountId: string, now: Date): Deletion {
  return {
    accountId,
    requestedAt: now,
    purgeAt: after(now, GRACE_MS),
    completeBy: after(now, COMPLETE_AFTER_MS),
  };
}

/** When the purge event is published next. Undefined after the last time. */
export function nextAnnouncementAt({ purgedAt, announcements }: Purge): Date | undefined {
  const afterMs = ANNOUNCED_AFTER_MS[announcements];
  return afterMs === undefined ? undefined : after(purgedAt, afterMs);
}

function after(time: Date, ms: number): Date {
  return new Date(time.getTime() + ms);
}
