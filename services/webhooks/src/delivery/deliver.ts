/**
 * Delivers notifications to their targets.
 *
 * The rows are the source of truth; scheduled tasks are only wake-ups. One is scheduled for each moment at which a
 * delivery falls due, and names the account. It claims the account's delivery that has been due for longest, posts it,
 * and stores the outcome together with the next wake-up.
 *
 * An account has at most MAX_IN_FLIGHT_PER_ACCOUNT attempts in flight over all replicas, so that slow
 * receivers of a few accounts leave slots to the others. A wake-up that finds the account at its limit does
 * nothing; every attempt that ends wakes the account again while something is due. Deliveries of one subject
 * go out one at a time, for the first time in the order of their creation: none overtakes another on the wire,
 * and none waits for another's success. That holds while the clocks of replicas differ; where one is behind, a
 * retry may wait for `rescue`.
 *
 * Failure modes. A process that dies, or cannot store an outcome, leaves a claim that expires; `rescue` wakes the
 * account, and the same message is posted once more under its webhook-id. An attempt that outlives its claim, or is
 * overtaken by a replay, is logged but does not change the state: its fence is outdated. A process that stops returns
 * its attempts, and they do not count.
 */
import type { Clock } from '@audiosplit/chassis/clock';
import type { GuardedEgress } from '@audiosplit/chassis/egress/egress';
import { inSpan } from '@audiosplit/chassis/observability/spans';
import { statusClass } from '@audiosplit/chassis/observability/status-class';
import { type Pool, type Queryable, withTransaction } from '@audiosplit/chassis/postgres/pool';
import { traceFromHeaders } from '@audiosplit/chassis/trace';
import { count, observeSince } from '../metrics.ts';
import type { SigningKeys } from '../signing-keys.ts';
import { insertAttempt } from '../store/attempts.ts';
import {
  claimDueDelivery,
  findOverdueAccounts,
  hasDueDelivery,
  lockFence,
  returnClaim,
  settleDelivery,
} from '../store/claims.ts';
import {
  type AttemptOutcome,
  type ClaimedDelivery,
  type DeliveryState,
  stateAfter,
  toAttempt,
} from './delivery.ts';
import { post } from './send.ts';
import { signatureHeaders } from './signature.ts';

const MAX_IN_FLIGHT_PER_ACCOUNT = 4;

/** Time beyond the attempt itself for storing its outcome, before the claim counts as lost. */
const CLAIM_MARGIN_MS = 45_000;
/** Longer than a wake-up waits for a free slot, unless there is a backlog. */
const OVERDUE_MS = 60_000;
const RESCUE_BATCH = 1_000;

/** Schedules a wake-up of the account for that time, by default now. */
export type WakeAccount = (db: Queryable, accountId: string, at?: Date) => Promise<void>;

export interface DeliveryDependencies {
  readonly pool: Pool;
  readonly egress: GuardedEgress;
  readonly keys: SigningKeys;
  readonly wake: WakeAccount;
  readonly clock: Clock;
  /** From 0 up to 1, for jitter. */
  readonly random: () => number;
  readonly attemptTimeoutMs: number;
  /** Returns attempts in flight. */
  readonly stopping: AbortSignal;
}

/** What a wake-up does: at most one attempt of one delivery. */
export async function deliverNext(dependencies: DeliveryDependencies, accountId: string): Promise<void> {
  const { pool, clock, attemptTimeoutMs } = dependencies;
  const at = clock();
  const delivery = await withTransaction(pool, (client) =>
    claimDueDelivery(client, {
      accountId,
      now: at,
      until: new Date(at.getTime() + attemptTimeoutMs + CLAIM_MARGIN_MS),
      maxInFlight: MAX_IN_FLIGHT_PER_ACCOUNT,
    }),
  );
  if (delivery === undefined) return;
  await inSpan(
    {
      name: 'deliver notification',
      kind: 'client',
      attributes: {
        'audiosplit.delivery.id': delivery.id,
        'audiosplit.delivery.attempt': delivery.tries + 1,
      },
      parent: traceFromHeaders((name) => delivery.trace[name]),
    },
    () => attempt(dependencies, delivery, at),
  );
}

async function attempt(
  dependencies: DeliveryDependencies,
  delivery: ClaimedDelivery,
  at: Date,
): Promise<void> {
  const { pool, egress, keys, attemptTimeoutMs, stopping } = dependencies;
  const { id, accountId, url, body } = delivery;
  const signing = await keys.live(pool, accountId, at);
  // The account has been purged in between.
  if (signing.length === 0) return;
  const headers = signatureHeaders({ id, at, body }, signing);
  const startedAt = performance.now();
  const outcome = await post(
    egress,
    { url, headers, body, timeoutMs: attemptTimeoutMs, signal: stopping },
    at,
  );
  measureAttempt(outcome, startedAt);
  if (outcome === undefined) await handBack(dependencies, delivery);
  else await store(dependencies, delivery, at, outcome);
}

async function handBack({ pool, wake }: DeliveryDependencies, delivery: ClaimedDelivery): Promise<void> {
  await withTransaction(pool, async (client) => {
    await returnClaim(client, delivery);
    await wake(client, delivery.accountId);
  });
  count('audiosplit_webhook_deliveries_total', { outcome: 'handed_back' });
}

async function store(
  { pool, wake, clock, random }: DeliveryDependencies,
  delivery: ClaimedDelivery,
  at: Date,
  outcome: AttemptOutcome,
): Promise<void> {
  const { id, accountId, fence, tries } = delivery;
  await withTransaction(pool, async (client) => {
    const currentFence = await lockFence(client, id);
    if (currentFence === undefined) return;
    await insertAttempt(client, id, toAttempt(outcome, at));
    const now = clock();
    if (currentFence === fence) {
      const state = stateAfter(outcome, tries + 1, now, random);
      await settleDelivery(client, id, state);
      measureDelivery(state);
      if (state.status === 'pending') await wake(client, accountId, state.nextAttemptAt);
    }
    if (await hasDueDelivery(client, accountId, now)) await wake(client, accountId);
  });
}

function measureAttempt(outcome: AttemptOutcome | undefined, startedAtMs: number): void {
  if (outcome === undefined) return;
  const labels = {
    status_class: outcome.kind === 'answered' ? statusClass(outcome.statusCode) : 'none',
  } as const;
  observeSince('audiosplit_webhook_attempt_duration_seconds', labels, startedAtMs);
}

function measureDelivery({ status }: DeliveryState): void {
  count('audiosplit_webhook_deliveries_total', { outcome: status === 'pending' ? 'retried' : status });
}

/** Wakes accounts with overdue deliveries that have no attempt, and returns their number. */
export async function rescue({
  pool,
  wake,
  clock,
}: Pick<DeliveryDependencies, 'pool' | 'wake' | 'clock'>): Promise<number> {
  const now = clock();
  const overdueSince = new Date(now.getTime() - OVERDUE_MS);
  const accounts = await findOverdueAccounts(pool, overdueSince, now, RESCUE_BATCH);
  for (const accountId of accounts) await wake(pool, accountId);
  return accounts.length;
}
