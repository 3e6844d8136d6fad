/**
 * When signing keys are created and deleted. Each key signs for a rotation period from its `activatesAt` on. It is
 * published a lead time before, so that cached key sets contain it when its first token arrives, and until the last
 * token it signed has expired.
 *
 * A late rotation keeps the old key in use; a second one does nothing.
 */

/** A key outlives the last token that it signed. */
export const ACCESS_TOKEN_LIFETIME_SECONDS = 3_600;

interface ScheduledKey {
  readonly kid: string;
  readonly activatesAt: Date;
}

const DAY_MS = 86_400_000;
const ROTATION_PERIOD_MS = 30 * DAY_MS;
/** Longer than verifiers cache a key set, which is hours at most. */
const PUBLICATION_LEAD_MS = DAY_MS;
/** The largest difference between the clocks of signers and verifiers. */
const CLOCK_SKEW_MS = 5 * 60_000;
const RETENTION_MS = ACCESS_TOKEN_LIFETIME_SECONDS * 1000 + CLOCK_SKEW_MS;

/** The key that signs now. `keys` are sorted by `activatesAt`, oldest first. */
export function signingKeyAt<Key extends ScheduledKey>(keys: readonly Key[], now: Date): Key {
  const key = keys.findLast((candidate) => candidate.activatesAt <= now) ?? keys[0];
  if (key === undefined) throw new Error('there is no signing key');
  return key;
}

/** The `activatesAt` of a key that is to be created now. Undefined if none is due. */
export function nextActivation(keys: readonly ScheduledKey[], now: Date): Date | undefined {
  const newest = keys.at(-1);
  if (newest === undefined) return now;
  const successionMs = newest.activatesAt.getTime() + ROTATION_PERIOD_MS;
  const earliestMs = now.getTime() + PUBLICATION_LEAD_MS;
  return earliestMs < successionMs ? undefined : new Date(earliestMs);
}

/** Keys whose last token has expired. */
export function outlivedKeys<Key extends ScheduledKey>(keys: readonly Key[], now: Date): Key[] {
  return keys.filter((_, index) => {
    const successor = keys[index + 1];
    return successor !== undefined && successor.activatesAt.getTime() + RETENTION_MS <= now.getTime();
  });
}
