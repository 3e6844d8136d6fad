import type { GuardedEgress } from '@audiosplit/chassis/egress/egress';
import { createGuardedEgress } from '@audiosplit/chassis/egress/guarded-egress';
import type { ResolveName } from '@audiosplit/chassis/egress/resolve-target';
import { withIdempotency } from '@audiosplit/chassis/idempotency/with-idempotency';
import { responseSecretOf } from '@audiosplit/chassis/identity/keys';
import { exposePool } from '@audiosplit/chassis/observability/database-metrics';
import { checkPostgres } from '@audiosplit/chassis/postgres/check-postgres';
import type { ScheduledWork } from '@audiosplit/chassis/process/scheduled-work';
import type { RunningService, ServiceContext } from '@audiosplit/chassis/process/service';
import { createHealth } from '@audiosplit/chassis/rpc/health';
import { createSecretBox } from '@audiosplit/chassis/secrets/secret-box';
import { WebhooksService } from '@audiosplit/proto/webhooks/v1/webhooks';
import type { WebhooksConfig } from './config.ts';
import { createAttemptPlaces } from './delivery/attempt-places.ts';
import { type DeliveryDependencies, deliverDue, rescue } from './delivery/deliver.ts';
import { ATTEMPT_TIMEOUT_MS } from './delivery/send.ts';
import { subscribeToDomainEvents } from './events.ts';
import { exposeAttempts, exposeCircuits } from './gauges.ts';
import { prune } from './retention.ts';
import { createWebhooksRpc } from './rpc.ts';
import { WEBHOOKS_SCHEMA } from './schema.ts';
import { createSigningKeys } from './signing-keys.ts';

export interface WebhooksOverrides {
  /** How long a receiver may take to respond; default 15 s. */
  readonly attemptTimeoutMs?: number;
  /** For the jitter; default Math.random. */
  readonly random?: () => number;
  /** Replaces the name servers. */
  readonly resolve?: ResolveName;
  /** Replaces the egress of `config.egress`. */
  readonly egress?: GuardedEgress;
}

/** Concurrent wake-ups and periodic tasks. They wait for the database only. */
const CONCURRENT_TASKS = 8;
/** How long attempts in flight may continue when the service stops. */
const STOP_GRACE_MS = 2_000;
const DELIVER_TASK = 'deliver';
const MINUTE_MS = 60_000;

export async function startWebhooks(
  config: WebhooksConfig,
  context: ServiceContext,
  overrides: WebhooksOverrides = {},
): Promise<RunningService> {
  const { log, clock, bus } = context;
  await using starting = new AsyncDisposableStack();
  const pool = context.openPool(WEBHOOKS_SCHEMA, config.maxDatabaseConnections);
  starting.defer(() => pool.end());
  starting.use(exposePool(pool, WEBHOOKS_SCHEMA));
  const egress = starting.use(
    overrides.egress ??
      createGuardedEgress(config.egress, {
        dnsServers: config.dnsServers,
        ...(overrides.resolve === undefined ? {} : { resolve: overrides.resolve }),
      }),
  );

  const places = createAttemptPlaces({
    limit: config.attempts.inFlight,
    perAccount: config.attempts.perAccount,
    onPlace(accountId, place) {
      places.track(
        deliverDue(dependencies, accountId, place).catch((error: unknown) => {
          log.error({ accountId, err: error }, 'deliveries could not be claimed');
        }),
      );
    },
  });
  starting.use(exposeAttempts(places, config.attempts.inFlight));
  starting.use(exposeCircuits(pool, clock));
  // Tasks left by an earlier run start before `work` is assigned. They wait for it before they take a
  // connection, because the start needs one.
  const started = Promise.withResolvers<ScheduledWork>();
  const dependencies: DeliveryDependencies = {
    pool,
    egress,
    keys: createSigningKeys(createSecretBox(config.secret, 'audiosplit webhook signing keys')),
    async wake(db, accountId, at) {
      const work = await started.promise;
      const when = at === undefined ? { key: `${DELIVER_TASK} ${accountId}` } : { runAt: at };
      await work.schedule(db, DELIVER_TASK, { accountId }, when);
    },
    places,
    limits: config.attempts,
    clock,
    log,
    random: overrides.random ?? Math.random,
    attemptTimeoutMs: overrides.attemptTimeoutMs ?? ATTEMPT_TIMEOUT_MS,
  };

  const work = await context.schedule({
    onCrash: context.fatal,
    pool,
    schema: WEBHOOKS_SCHEMA,
    log,
    concurrency: CONCURRENT_TASKS,
    delayed: [
      {
        name: DELIVER_TASK,
        async run(payload) {
          await started.promise;
          await deliverDue(dependencies, accountOf(payload));
        },
      },
    ],
    repeating: [
      {
        name: 'rescue',
        everyMs: MINUTE_MS,
        async run() {
          const accounts = await rescue(dependencies);
          if (accounts > 0) log.info({ accounts }, 'accounts with overdue deliveries are woken');
        },
      },
      { name: 'prune', everyMs: 60 * MINUTE_MS, run: () => prune(pool, clock()) },
    ],
  });
  started.resolve(work);
  starting.defer(() => places.drain(STOP_GRACE_MS));
  starting.use(work);
  starting.use(
    await subscribeToDomainEvents({ ...dependencies, limits: config.attempts }, bus, context.fatal),
  );

  const health = createHealth([WebhooksService], {
    postgres: () => checkPostgres(pool),
  });
  const running = starting.move();
  return {
    health,
    routes: (router) => {
      const once = { pool, clock, secret: responseSecretOf(context.keys) };
      router.service(
        WebhooksService,
        withIdempotency(WebhooksService, createWebhooksRpc(dependencies), once),
      );
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function accountOf(payload: unknown): string {
  const { accountId } = payload as { readonly accountId: string };
  return accountId;
}
