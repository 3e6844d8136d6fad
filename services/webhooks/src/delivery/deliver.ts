/**
 * Delivers notifications to their targets.
 *
 * The rows are the source of truth; scheduled tasks are only wake-ups. A wake-up is scheduled for each moment
 * at which a delivery becomes due, and names the account; an account has at most one immediate wake-up. It
 * claims the deliveries that have been due for longest, starts the attempts, and ends: they continue without
 * a slot of the scheduled work (attempt-places.ts). Each attempt stores its outcome together with the next
 * wake-up.
 *
 * The attempts in flight of an account over all replicas are bounded, and so are those to one host. A wake-up
 * that finds the account at its limit does nothing; every attempt that ends wakes the account again while
 * something is due. After three timeouts in a row, a host gets nothing from the account for a minute, then
 * one attempt, until it responds (circuits.ts).
 *
 * Deliveries of one subject to one target are sent one at a time, and first attempts in the order of
 * creation: none overtakes another, and none waits for another's success. This holds even if the clocks of
 * replicas differ; if one is behind, a retry may wait for `rescue`.
 *
 * Failure modes. A process that dies, or cannot store an outcome, leaves a claim that expires; `rescue` wakes
 * the account, and the same message is sent again with the same webhook-id. An attempt that outlives its
 * claim, or is superseded by a replay, is logged but does not change the state, because its fence is
 * outdated. If a process stops, or needs the place for another account, the attempt is returned and does not
 * count.
 */
import type { Clock } from '@audiosplit/chassis/clock';
import type { GuardedEgress } from '@audiosplit/chassis/egress/egress';
import { inSpan } from '@audiosplit/chassis/observability/spans';
import { statusClass } from '@audiosplit/chassis/observability/status-class';
import { type Pool, type Queryable, withTransaction } from '@audiosplit/chassis/postgres/pool';
import type { Logger } from '@audiosplit/chassis/process/log';
import { traceFromHeaders } from '@audiosplit/chassis/trace';
import { count, observeSince } from '../metrics.ts';
import type { SigningKeys } from '../signing-keys.ts';
import { insertAttempt } from '../store/attempts.ts';
import { closeCircuit, countTimeout, OPEN_MS, TIMEOUTS_UNTIL_OPEN } from '../store/circuits.ts';
import {
  claimDueDelivery,
  findOverdueAccounts,
  hasDueDelivery,
  lockFence,
  returnClaim,
  settleDelivery,
} from '../store/claims.ts';
import type { AttemptPlaces, Place } from './attempt-places.ts';
import {
  type AttemptOutcome,
  type ClaimedDelivery,
  type DeliveryState,
  stateAfter,
  toAttempt,
} from './delivery.ts';
import { post } from './send.ts';
import { signatureHeaders } from './signature.ts';

/** Time after the attempt for storing its outcome, before the claim counts as lost. */
const CLAIM_MARGIN_MS = 45_000;
/** Longer than a wake-up waits for a free slot, unless there is a backlog. */
const OVERDUE_MS = 60_000;
const RESCUE_BATCH = 1_000;

/** Schedules a wake-up of the account for that time, by default now. */
export type WakeAccount = (db: Queryable, accountId: string, at?: Date) => Promise<void>;

export interface DeliveryLimits {
  /** Attempts in flight for an account, over all replicas. */
  readonly perAccount: number;
  /** Of those, to one host. */
  readonly perHost: number;
}

export interface DeliveryDependencies {
  readonly pool: Pool;
  readonly egress: GuardedEgress;
  readonly keys: SigningKeys;
  readonly wake: WakeAccount;
  readonly places: AttemptPlaces;
  readonly limits: DeliveryLimits;
  readonly clock: Clock;
  readonly log: Logger;
  /** From 0 to below 1, for jitter. */
  readonly random: () => number;
  readonly attemptTimeoutMs: number;
}

/** Runs a wake-up: starts the attempts that are due and allowed. `given` is the place of the first one. */
export async function deliverDue(
  dependencies: DeliveryDependencies,
  accountId: string,
  given?: Place,
): Promise<void> {
  const { places, pool, clock, log } = dependencies;
  if (given === undefined && places.isLeftOut(accountId)) {
    // A wake-up may find nothing due: then no attempt of another account is aborted for it.
    if (await hasDueDelivery(pool, accountId, clock())) places.lineUp(accountId);
    return;
  }
  for (let place = given ?? places.take(accountId); place !== undefined; place = places.take(accountId)) {
    const delivery = await claim(dependencies, accountId).catch((error: unknown) => {
      place?.[Symbol.dispose]();
      throw error;
    });
    if (delivery === undefined) {
      for (const refused of place.returnUnused()) await deliverDue(dependencies, refused);
      return;
    }
    places.track(
      attempt(dependencies, delivery, place).catch((error: unknown) => {
        log.error({ deliveryId: delivery.id, err: error }, 'the outcome of an attempt could not be stored');
      }),
    );
  }
}

function claim(
  { pool, limits, attemptTimeoutMs, clock }: DeliveryDependencies,
  accountId: string,
): Promise<ClaimedDelivery | undefined> {
  const at = clock();
  return withTransaction(pool, (client) =>
    claimDueDelivery(client, {
      accountId,
      now: at,
      until: new Date(at.getTime() + attemptTimeoutMs + CLAIM_MARGIN_MS),
      maxInFlight: limits.perAccount,
      maxInFlightToHost: limits.perHost,
    }),
  );
}

function attempt(dependencies: DeliveryDependencies, delivery: ClaimedDelivery, place: Place): Promise<void> {
  // Read after the claim, which may have waited: meanwhile a key may have expired, and the delivery was
  // created.
  const at = dependencies.clock();
  return inSpan(
    {
      name: 'deliver notification',
      kind: 'client',
      attributes: {
        'audiosplit.delivery.id': delivery.id,
        'audiosplit.delivery.attempt': delivery.tries + 1,
      },
      parent: traceFromHeaders((name) => delivery.trace[name]),
    },
    async () => {
      const posted = await postFrom(place, dependencies, delivery, at);
      if (posted === 'unsigned') return;
      if (posted === undefined) await handBack(dependencies, delivery);
      else await store(dependencies, delivery, at, posted);
    },
  );
}

/**
 * Releases the place before the outcome is stored, so that a wake-up scheduled with the outcome finds it
 * free.
 */
async function postFrom(
  place: Place,
  { pool, egress, keys, attemptTimeoutMs }: DeliveryDependencies,
  { id, accountId, url, body }: ClaimedDelivery,
  at: Date,
): Promise<AttemptOutcome | 'unsigned' | undefined> {
  using _held = place;
  const signing = await keys.live(pool, accountId, at);
  // The account has been purged meanwhile.
  if (signing.length === 0) return 'unsigned';
  const headers = signatureHeaders({ id, at, body }, signing);
  const startedAt = performance.now();
  const outcome = await post(
    egress,
    { accountId, url, headers, body, timeoutMs: attemptTimeoutMs, signal: place.signal },
    at,
  );
  measureAttempt(outcome, startedAt);
  return outcome;
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
  const { id, accountId, host, fence } = delivery;
  await withTransaction(pool, async (client) => {
    const currentFence = await lockFence(client, id);
    if (currentFence === undefined) return;
    await insertAttempt(client, id, toAttempt(outcome, at));
    const now = clock();
    if (outcome.kind === 'unanswered' && outcome.timedOut) {
      const timeouts = await countTimeout(client, accountId, host, now);
      const closesAt = new Date(now.getTime() + OPEN_MS);
      if (timeouts >= TIMEOUTS_UNTIL_OPEN) await wake(client, accountId, closesAt);
    } else {
      await closeCircuit(client, accountId, host);
    }
    if (currentFence === fence) {
      const state = stateAfter(delivery, outcome, now, random);
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
