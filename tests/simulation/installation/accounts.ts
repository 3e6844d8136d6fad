/**
 * The accounts of a run: they subscribe, change their plan and card, upload, create jobs, retry unanswered
 * requests with the same idempotency key, cancel and delete. Some accounts are closed; some of these are
 * restored, and the others are purged while their jobs run, their charges are in flight and their
 * notifications are being delivered.
 */

import { Readable } from 'node:stream';
import { eventMessage } from '@audiosplit/chassis/event-bus/event-message';
import {
  runWithIdempotencyKey,
  runWithoutIdempotencyKey,
} from '@audiosplit/chassis/idempotency/idempotency-key';
import { actingFor } from '@audiosplit/chassis/identity/authorization';
import type { OutboxMessage } from '@audiosplit/chassis/outbox/outbox';
import { createCaller } from '@audiosplit/chassis/rpc/client';
import { testKeysOf } from '@audiosplit/chassis/testing/identities';
import { BillingService } from '@audiosplit/proto/billing/v1/billing';
import { fromCutFields } from '@audiosplit/proto/cut';
import { JobsService } from '@audiosplit/proto/jobs/v1/jobs';
import { Code, ConnectError } from '@connectrpc/connect';
import type { Ledger } from '../checks/ledger.ts';
import type { Installation } from './installation.ts';

const TRIES = 4;
/** Well below the lifetime of an idempotency key. */
const PATIENCE_MS = 12 * 3_600_000;
const PLANS = ['plan_free', 'plan_free', 'plan_starter', 'plan_starter', 'plan_pro'];
const CLOSING_RATE = 0.3;
const CARDS = ['tok_visa', 'tok_visa', 'tok_visa', 'tok_visa', 'tok_visa', 'tok_chargeCustomerFail'];

export function startAccounts(installation: Installation, ledger: Ledger) {
  const { world, random, network, clock, bus, store } = installation;
  const gateway = createCaller({ keys: testKeysOf('gateway'), clock });
  const jobs = gateway.client(JobsService, network.addressOf('jobs'));
  const billing = gateway.client(BillingService, network.addressOf('billing'));
  let isResting = false;
  let requests = 0;

  /** Like the account service's relay: publishes until it is acknowledged, so perhaps twice. */
  async function announce(message: OutboxMessage): Promise<void> {
    for (;;) {
      try {
        return await bus.publish([{ ...message, headers: {} }]);
      } catch {
        await world.delay(1_000);
      }
    }
  }

  const announcePurge = (accountId: string) => {
    ledger.purged.add(accountId);
    return announce(eventMessage(accountId, clock(), { case: 'accountPurged', value: {} }));
  };

  async function account(accountId: string): Promise<void> {
    const as = () => actingFor({ accountId, scopes: [] });
    const own: string[] = [];
    /** Retries until there is a response or the time is over. */
    const insist = async <T>(call: () => Promise<T>): Promise<T | undefined> => {
      const key = {
        scope: `account:${accountId}:`,
        key: `request-${requests++}`,
        fingerprint: 'same',
        replayed: false,
      };
      const patienceEndsMs = world.nowMs() + PATIENCE_MS;
      for (let attempt = 1; attempt <= TRIES && world.nowMs() < patienceEndsMs; attempt++) {
        try {
          return await runWithIdempotencyKey(key, call);
        } catch (error) {
          world.record(`${accountId} hears: ${String(error)}`);
          if (!isWorthRepeating(error)) return undefined;
        }
        await world.delay(random.between(100, 4_000));
      }
      return undefined;
    };

    async function create(): Promise<void> {
      const metadataJson = JSON.stringify({ request: `${accountId}-${requests}` });
      const request = {
        sourceUrl: 'https://example.com/talk.mp3',
        cut: fromCutFields({ splitMode: 'duration', segmentDuration: 60 }),
      };
      const webhookUrl = random.chance(0.5) ? 'https://example.com/hook' : undefined;
      const answer = await insist(() =>
        jobs.createJob({ request, metadataJson, ...(webhookUrl === undefined ? {} : { webhookUrl }) }, as()),
      );
      const jobId = answer?.job?.id;
      if (jobId === undefined) return;
      ledger.accepted.add(jobId);
      ledger.accountOf.set(jobId, accountId);
      own.push(jobId);
    }

    /** A PUT, which has no key: it is repeated unchanged. */
    const putOnFile = (token: string) =>
      insist(() => runWithoutIdempotencyKey(() => billing.setPaymentMethod({ token }, as())));

    async function subscribe(): Promise<void> {
      const planId = random.pick(PLANS);
      if (planId === 'plan_free') return;
      await putOnFile('tok_visa');
      await insist(() => billing.subscribe({ planId }, as()));
      await putOnFile(random.pick(CARDS));
    }

    async function upload(): Promise<void> {
      const body = Readable.from([Buffer.from('sound')]);
      const key = `uploads/${accountId}/${requests++}`;
      await store.put(key, body, { contentType: 'audio/mpeg' }).catch(() => undefined);
    }

    /** Returns whether the account continues. */
    async function close(): Promise<boolean> {
      await insist(() => billing.cancelSubscription({ immediate: random.chance(0.8) }, as()));
      const request = { case: 'accountDeletionRequested', value: {} } as const;
      await announce(eventMessage(accountId, clock(), request));
      await world.delay(random.between(1_000, 30_000));
      if (random.chance(0.4)) {
        await announce(eventMessage(accountId, clock(), { case: 'accountRestored', value: {} }));
        return true;
      }
      await announcePurge(accountId);
      return false;
    }

    const closesAtMs = random.chance(CLOSING_RATE) ? world.nowMs() + random.between(500, 10_000) : Infinity;
    let isClosing = false;
    void subscribe();
    while (!isResting) {
      await world.delay(random.between(50, 2_500));
      if (isResting) break;
      if (!isClosing && world.nowMs() >= closesAtMs) {
        isClosing = true;
        if (!(await close())) return;
      }
      const jobId = own.length === 0 ? undefined : random.pick(own);
      const choice = random.next();
      if (jobId === undefined || choice < 0.75) {
        await Promise.all(Array.from({ length: random.between(1, 4) }, create));
      } else if (choice < 0.85) await insist(() => jobs.cancelJob({ jobId }, as()));
      else if (choice < 0.95) {
        ledger.removalAsked.add(jobId);
        await jobs.deleteJob({ jobId }, as()).catch(() => undefined);
      } else if (choice < 0.97) {
        const planId = random.pick(PLANS);
        await insist(() => billing.changePlan({ planId }, as()));
      } else if (choice < 0.98)
        await insist(() => billing.cancelSubscription({ immediate: random.chance(0.5) }, as()));
      else if (choice < 0.99) await subscribe();
      else await upload();
    }
    // Its time may not have come yet, because new work ends after a number of calls.
    if (closesAtMs < Infinity && !isClosing) await close();
  }

  const ids = Array.from({ length: random.between(2, 3) }, (_, number) => `acc_${number + 1}`);
  for (const id of ids) void account(id);
  return {
    /** From then on no account makes new requests. */
    rest() {
      isResting = true;
    },
    /** Announces each purge once more, as the product does for days. */
    announcePurges() {
      for (const accountId of ledger.purged) void announcePurge(accountId);
    },
  };
}

function isWorthRepeating(error: unknown): boolean {
  const { code } = ConnectError.from(error);
  return [Code.Unavailable, Code.DeadlineExceeded, Code.Internal, Code.Aborted, Code.Unknown].includes(code);
}
