/**
 * The life of an account after its holder has asked for it to be deleted. Pure.
 *
 *     open ──ask──▶ pending ──14 days──▶ purged
 *      ▲               │
 *      └───restore─────┘
 */
const DAY_MS = 86_400_000;

/** How long an account can be restored. */
const GRACE_MS = 14 * DAY_MS;
/**
 * What the holder is promised. The time after the grace is for services that were away when the purge was told, and for
 * the bus to forget its messages, which it keeps for 7 days.
 */
const COMPLETE_AFTER_MS = 30 * DAY_MS;

/**
 * When a purge is told, from its beginning. The repeats take away what was under way the first time, such as a file
 * that was just being written.
 */
const ANNOUNCED_AFTER_MS = [0, 3_600_000, DAY_MS, 7 * DAY_MS];

/** Far longer than anything about an account can be on its way; all of it still ends within the promise. */
export const PURGE_REMEMBERED_MS = 15 * DAY_MS;

export interface Deletion {
  readonly accountId: string;
  readonly requestedAt: Date;
  readonly purgeAt: Date;
  /** All is gone by then. */
  readonly completeBy: Date;
}

export interface Purge {
  readonly accountId: string;
  readonly purgedAt: Date;
  /** How often it has been told. */
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

/** When the purge is told next; undefined once it has been told often enough. */
export function nextAnnouncementAt({ purgedAt, announcements }: Purge): Date | undefined {
  const afterMs = ANNOUNCED_AFTER_MS[announcements];
  return afterMs === undefined ? undefined : after(purgedAt, afterMs);
}

function after(time: Date, ms: number): Date {
  return new Date(time.getTime() + ms);
}
