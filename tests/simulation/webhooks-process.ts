/**
 * The webhooks service: its own parts, put together as service.ts does, on simulated ports. Wake-ups are rows of the
 * transaction that plants them, as the job library's are; one that is taken is gone, whatever becomes of its work.
 */
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import { createSecretBox } from '@audiosplit/chassis/secrets/secret-box';
import { type DeliveryDependencies, deliverNext, rescue } from '@audiosplit/webhooks/delivery/deliver';
import { ATTEMPT_TIMEOUT_MS } from '@audiosplit/webhooks/delivery/send';
import { subscribeToDomainEvents } from '@audiosplit/webhooks/events';
import { WEBHOOKS_SCHEMA } from '@audiosplit/webhooks/schema';
import { createSigningKeys } from '@audiosplit/webhooks/signing-keys';
import { breakDatabase } from './flaws.ts';
import type { Installation } from './installation.ts';
import { crash } from './jobs-process.ts';
import { repeat } from './repeating-work.ts';
import { createSimulatedPool } from './simulated-pool.ts';
import type { SimulatedProcess } from './simulated-process.ts';

const SECRET = 'a secret of more than thirty-two bytes';
const RESCUE_EVERY_MS = 60_000;
const LEFT_WAKEUPS_EVERY_MS = 90_000;

export async function startWebhooksProcess(
  installation: Installation,
  process: SimulatedProcess,
): Promise<void> {
  const { world, clock, random, tables } = installation;
  const pool = breakDatabase(createSimulatedPool(installation, WEBHOOKS_SCHEMA), installation.flaw);
  const dependencies: DeliveryDependencies = {
    pool,
    egress: installation.receiver.egress,
    keys: createSigningKeys(createSecretBox(SECRET, 'audiosplit webhook signing keys')),
    async wake(db, accountId, at = clock()) {
      await db.query('insert into planted_wakeups (account_id, run_at) values ($1, $2)', [accountId, at]);
      // Past the commit of the transaction that plants it.
      process.run(() => world.schedule(at.getTime() - world.nowMs() + 100, () => void runDue()));
    },
    clock,
    random: () => random.next(),
    attemptTimeoutMs: ATTEMPT_TIMEOUT_MS,
    stopping: new AbortController().signal,
  };
  const runDue = async () => {
    try {
      const accountId = await takeWakeup(pool, clock());
      if (accountId !== undefined) await deliverNext(dependencies, accountId);
    } catch (error) {
      world.record(`a wake-up fails: ${String(error)}`);
    }
  };
  const isDue = () => tables.deliveries.values().some(({ status }) => status === 'pending');
  repeat(installation, {
    name: 'wake-ups that are left',
    everyMs: LEFT_WAKEUPS_EVERY_MS,
    run: runDue,
    isDue,
  });
  repeat(installation, { name: 'rescue', everyMs: RESCUE_EVERY_MS, run: () => rescue(dependencies), isDue });
  await subscribeToDomainEvents(dependencies, installation.bus.connect(process), crash);
}

async function takeWakeup(db: Queryable, now: Date): Promise<string | undefined> {
  const { rows } = await db.query<{ account_id: string }>(
    `delete from planted_wakeups where number =
       (select number from planted_wakeups where run_at <= $1 order by number limit 1) returning account_id`,
    [now],
  );
  return rows[0]?.account_id;
}
