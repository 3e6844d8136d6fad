/** Which Kafka errors are transient, and how long a start waits for them to pass. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../process/log.ts';
import { isCertificateFault, reasonOf } from '../../secrets/certificate-faults.ts';

const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;
/** The client library's error names. */
const LOGIN_FAILED = 'KafkaJSSASLAuthenticationError';
const NO_COORDINATOR = 'KafkaJSGroupCoordinatorNotFound';
/** Kafka's own, of a login that lacks an ACL. */
const NOT_AUTHORIZED = ['TOPIC_AUTHORIZATION_FAILED', 'CLUSTER_AUTHORIZATION_FAILED'];

/** ACLs may be granted after a process has started, so it waits for them as for brokers. */
export class MissingAclsError extends Error {
  override readonly name = 'MissingAclsError';
  readonly retriable = true;
  constructor(topics: readonly string[]) {
    super(`Kafka has no ACLs yet for the login of this process: it may not see ${topics.join(', ')}`);
  }
}

/** Whether a request for several topics failed because the login may not do that to one of them. */
export function isNotAuthorized(error: unknown): boolean {
  if (!(error instanceof Error && 'errors' in error && Array.isArray(error.errors))) return false;
  return error.errors.some(({ type }) => NOT_AUTHORIZED.includes(type));
}

/**
 * Whether the same request may succeed later: brokers unavailable, a coordinator that is loading, leaders
 * being elected. The client library wraps errors, and calls every error final once its retries are used up,
 * so the innermost cause decides. A rejected certificate is final. The library also calls it final when no
 * broker could name a group's coordinator, whatever the reasons were; here that is transient.
 */
export function isTransient(error: unknown): boolean {
  if (isCertificateFault(error)) return false;
  const inner = innermost(error);
  if (!(inner instanceof Error)) return false;
  return ('retriable' in inner && inner.retriable === true) || inner.name === NO_COORDINATOR;
}

/** Whether a topic does not exist: the brokers have not created it yet, or have lost it. */
export function isMissingTopic(error: unknown): boolean {
  const inner = innermost(error);
  return inner instanceof Error && 'type' in inner && inner.type === 'UNKNOWN_TOPIC_OR_PARTITION';
}

/** Whether authentication failed: a certificate or a login was rejected. */
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
  /** The object of the attempt, for the log: `the topics`. */
  readonly what: string;
  /** No attempt begins after this time; 0 means one attempt. */
  readonly forMs: number;
  readonly log: Logger;
}

/**
 * Retries with growing pauses while the error is transient: a cluster that has just started, or is under
 * load, may take longer than the client library's few retries. Rejects with the last error.
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
