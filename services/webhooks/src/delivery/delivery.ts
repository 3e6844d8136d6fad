import { retryPauseMs } from './retry-schedule.ts';

/** The type of the delivery that tests an endpoint. It is attempted once and ignores circuits. */
export const PING = 'ping';

export type DeliveryStatus = 'pending' | 'delivered' | 'failed';

/** One notification to one target, with all its attempts. */
export interface Delivery {
  readonly id: string;
  readonly type: string;
  readonly url: string;
  readonly status: DeliveryStatus;
  /** Undefined unless pending. */
  readonly nextAttemptAt: Date | undefined;
  readonly createdAt: Date;
  /** Oldest first. */
  readonly attempts: readonly Attempt[];
}

/** What is sent. */
export interface Notification {
  readonly type: string;
  /**
   * For example the id of its job. Notifications of one subject are sent to a target in the order of their
   * creation.
   */
  readonly subject: string;
  /** JSON, sent and signed without change. */
  readonly body: string;
}

/** A delivery that this process attempts. Another claim or a replay raises the row's fence and ends this one. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly accountId: string;
  readonly type: string;
  readonly url: string;
  /** Name and port of the URL's host. */
  readonly host: string;
  readonly body: string;
  /** Earlier attempts in the current series. */
  readonly tries: number;
  readonly fence: number;
  /** Headers of its trace. */
  readonly trace: Readonly<Record<string, string>>;
}

export interface Attempt {
  readonly at: Date;
  /** Undefined without a response. */
  readonly statusCode: number | undefined;
  /** Undefined after a success. */
  readonly error: string | undefined;
}

export type AttemptOutcome =
  | { readonly kind: 'answered'; readonly statusCode: number; readonly retryAfterMs: number | undefined }
  | { readonly kind: 'unanswered'; readonly error: string; readonly timedOut: boolean };

export type DeliveryState =
  | { readonly status: 'delivered' | 'failed' }
  | { readonly status: 'pending'; readonly nextAttemptAt: Date };

/** RFC 9110, section 15.5.11: the target is gone for good. */
const GONE = 410;

/** The state of a delivery after an attempt. */
export function stateAfter(
  { type, tries }: Pick<ClaimedDelivery, 'type' | 'tries'>,
  outcome: AttemptOutcome,
  now: Date,
  random: () => number,
): DeliveryState {
  if (outcome.kind === 'answered') {
    if (isSuccess(outcome.statusCode)) return { status: 'delivered' };
    if (outcome.statusCode === GONE) return { status: 'failed' };
  }
  if (type === PING) return { status: 'failed' };
  const retryAfterMs = outcome.kind === 'answered' ? outcome.retryAfterMs : undefined;
  const pauseMs = retryPauseMs(tries + 1, retryAfterMs, random);
  if (pauseMs === undefined) return { status: 'failed' };
  return { status: 'pending', nextAttemptAt: new Date(now.getTime() + pauseMs) };
}

/** The attempt as shown in the account's delivery log. */
export function toAttempt(outcome: AttemptOutcome, at: Date): Attempt {
  switch (outcome.kind) {
    case 'answered':
      return { at, statusCode: outcome.statusCode, error: describeStatus(outcome.statusCode) };
    case 'unanswered':
      return { at, statusCode: undefined, error: outcome.error };
    default:
      return outcome satisfies never;
  }
}

function isSuccess(statusCode: number): boolean {
  return statusCode >= 200 && statusCode < 300;
}

function describeStatus(statusCode: number): string | undefined {
  if (isSuccess(statusCode)) return undefined;
  if (statusCode === GONE) return 'The target is gone (410); it is not tried again.';
  if (statusCode >= 300 && statusCode < 400) return 'The target redirects; redirects are not followed.';
  return `The target answered with status ${statusCode}.`;
}
