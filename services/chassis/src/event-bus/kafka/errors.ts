/** Which of Kafka's errors go away by themselves, and how long a start waits for that. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../process/log.ts';
import { isCertificateFault, reasonOf } from '../../secrets/certificate-faults.ts';

const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;
/** The client library's names for them. */
const LOGIN_FAILED = 'KafkaJSSASLAuthenticationError';
const NO_COORDINATOR = 'KafkaJSGroupCoordinatorNotFound';

/**
 * Whether the same request may succeed later: brokers away, a coordinator that loads, leaders that are being
 * chosen. The client library wraps errors, and calls every one final once it is out of retries, so that the
 * innermost cause decides. A certificate that is not taken now will not be in a minute either. It also holds it for final
 * that no broker could tell a group's coordinator, whatever the reason was that each of them gave.
 */
export function isTransient(error: unknown): boolean {
  if (isCertificateFault(error)) return false;
  const inner = innermost(error);
  if (!(inner instanceof Error)) return false;
  return ('retriable' in inner && inner.retriable === true) || inner.name === NO_COORDINATOR;
}

/** Whether a topic is not there: the brokers have just heard of it, or have lost it. */
export function isMissingTopic(error: unknown): boolean {
  const inner = innermost(error);
  return inner instanceof Error && 'type' in inner && inner.type === 'UNKNOWN_TOPIC_OR_PARTITION';
}

/** Whether the two sides do not trust each other: a certificate is not taken, or a login. */
export function isTrustError(error: unknown): boolean {
  const inner = innermost(error);
  return isCertificateFault(error) || (inner instanceof Error && inner.name === LOGIN_FAILED);
}

function innermost(error: unknown): unknown {
  let inner = error;
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause;
  return inner;
}

interface RetryOptions {
  /** What is attempted, for the log: `the topics`. */
  readonly what: string;
  /** No attempt begins after this; with 0 there is one. */
  readonly forMs: number;
  readonly log: Logger;
}

/**
 * Attempts it again, after growing pauses, while it fails for reasons that go away: a cluster that has just
 * started, or is under load, may take longer than the client library's few retries. Rejects with the last
 * error.
 */
export async function retryUntilAvailable<T>(
  { what, forMs, log }: RetryOptions,
  attempt: () => Promise<T>,
): Promise<T> {
  const startedAtMs = performance.now();
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)) {
    try {
      return await attempt();
    } catch (error) {
      const leftMs = startedAtMs + forMs - performance.now();
      if (!isTransient(error) || leftMs < pauseMs) throw error;
      log.warn(
        { reason: reasonOf(error), secondsLeft: Math.round(leftMs / 1_000) },
        `Kafka is not ready for ${what} yet; trying again`,
      );
      await sleep(pauseMs);
    }
  }
}
