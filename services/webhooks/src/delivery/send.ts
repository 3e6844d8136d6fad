import { EgressError, type GuardedEgress } from '@audiosplit/chassis/egress/egress';
import type { AttemptOutcome } from './delivery.ts';
import { parseRetryAfter } from './retry-schedule.ts';

/**
 * Standard Webhooks recommends 15 to 30 s; a receiver that needs longer should respond first and work
 * afterwards.
 */
export const ATTEMPT_TIMEOUT_MS = 15_000;

interface Posting {
  readonly accountId: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** From name resolution to the status line and headers of the response. */
  readonly timeoutMs: number;
  /** Aborts the attempt. */
  readonly signal: AbortSignal;
}

/**
 * One attempt: the status and Retry-After of the response, or the reason why there was none. The body is not
 * read. Undefined if aborted.
 */
export async function post(
  egress: GuardedEgress,
  { accountId, url, headers, body, timeoutMs, signal }: Posting,
  now: Date,
): Promise<AttemptOutcome | undefined> {
  try {
    const response = await egress.request(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'audiosplit-webhooks/1' },
      body: Buffer.from(body),
      maxRedirects: 0,
      connectTimeoutMs: timeoutMs,
      headersTimeoutMs: timeoutMs,
      idleTimeoutMs: timeoutMs,
      totalTimeoutMs: timeoutMs,
      maxBodyBytes: 0,
      accountId,
      signal,
    });
    response.body.destroy();
    return {
      kind: 'answered',
      statusCode: response.status,
      retryAfterMs: parseRetryAfter(response.headers['retry-after'], now),
    };
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    if (signal.aborted) return undefined;
    return { kind: 'unanswered', error: error.message, timedOut: error.failure === 'timeout' };
  }
}
