/**
 * Races for minutes that are paid for only once. Such an adversary wins if the accounting is wrong at the
 * end.
 */
import type { Account } from '../../harness/accounts/open-account.ts';
import { startSources } from '../../harness/servers/sources.ts';
import type { Adversary, Attack } from '../adversary.ts';
import { openAccounts, type Target } from '../target.ts';
import { silentFlac } from './hostile-files.ts';
import { createTally, repeat } from './repetition.ts';

const FREE_MINUTES = 60;
const RACE_MINUTES = 25;
const RACE_JOBS = 4;
const STARTER_MINUTES = 500;
const OVERAGE_MINUTES = 10;
const OVERAGE_CENTS = 20;
/** A month of Starter, and then one of Starter or Pro. */
const FIRST_CENTS = 900;
const RENEWAL_CENTS: readonly number[] = [900, 4_900];
const SILENCE = 'silence.flac';
const DAY_MS = 86_400_000;

/**
 * Accounts on Free whose jobs begin at once; each job fits into the remaining minutes, but all together do
 * not.
 */
async function playLastMinutes(target: Target): Promise<Attack> {
  await using starting = new AsyncDisposableStack();
  const sources = starting.use(await silenceOf(RACE_MINUTES));
  const accounts: Account[] = [];
  const racing = repeat(2, 1_000, async () => {
    const [account] = await openAccounts(target, 1, 'plan_free');
    if (account === undefined) return;
    accounts.push(account);
    const request = {
      sourceUrl: sources.url(SILENCE),
      splitMode: 'duration',
      segmentDuration: 60 * RACE_MINUTES,
    } as const;
    const posts = Array.from({ length: RACE_JOBS }, () => account.client.createSplit(request));
    await Promise.allSettled(posts);
  });
  const running = starting.move();
  return {
    async stop() {
      await racing[Symbol.asyncDispose]();
      await using _sources = running;
      const used = createTally();
      for (const { client } of accounts) {
        const { minutesProcessed } = (await client.getUsage()).usage;
        if (minutesProcessed > FREE_MINUTES) throw new Error(`Free gave ${minutesProcessed} minutes`);
        used.add(`${minutesProcessed} minutes`);
      }
      return String(used);
    },
  };
}

/** Upgrades in the last second of a period with overage, while the period is renewed. */
async function playLastSeconds(target: Target): Promise<Attack> {
  await using starting = new AsyncDisposableStack();
  const sources = starting.use(await silenceOf(STARTER_MINUTES + OVERAGE_MINUTES));
  const bills = createTally();
  const faults: string[] = [];
  const upgrading = repeat(1, 1_000, async () => {
    const [account] = await openAccounts(target, 1, 'plan_starter');
    if (account === undefined) return;
    const { client } = account;
    const { id } = await client.createSplit({
      sourceUrl: sources.url(SILENCE),
      splitMode: 'parts',
      parts: 2,
    });
    await client.waitForJob(id);
    const { subscription } = await client.getBilling();
    if (subscription === null) throw new Error('the account has no subscription');
    const endMs = Date.parse(subscription.currentPeriodEnd);
    const moveTo = (ms: number) => client.setSandboxClock({ now: new Date(ms).toISOString() });
    await moveTo(endMs - 1_000);
    const renewal = moveTo(endMs + DAY_MS);
    const change = client.changePlan({ planId: 'plan_pro' }).catch(() => undefined);
    const proration = (await change)?.proration?.amount ?? 0;
    await renewal;
    const { data: invoices } = await client.listInvoices();
    const billed = invoices.reduce((sum, { amount }) => sum + amount, 0);
    const rest = billed - FIRST_CENTS - proration - OVERAGE_CENTS;
    bills.add(RENEWAL_CENTS.includes(rest) ? `${OVERAGE_CENTS} cents of overage` : `${billed} cents in all`);
    if (!RENEWAL_CENTS.includes(rest)) faults.push(`${OVERAGE_CENTS} cents of overage became ${rest}`);
  });
  const running = starting.move();
  return {
    async stop() {
      await upgrading[Symbol.asyncDispose]();
      await running.disposeAsync();
      if (faults.length > 0) throw new Error(faults.join('; '));
      return String(bills);
    },
  };
}

const silenceOf = async (minutes: number) =>
  startSources({ files: { [SILENCE]: await silentFlac(60 * minutes, 8_000) } });

export const MONEY: readonly Adversary[] = [
  {
    name: 'last-minutes',
    title: `${RACE_JOBS} claims at once for minutes that are enough for two`,
    bound: 'minutes are reserved at the claim',
    play: playLastMinutes,
  },
  {
    name: 'last-second-upgrade',
    title: 'upgrades in the last second of a period with overage',
    bound: 'a minute is priced when it is metered',
    play: playLastSeconds,
  },
];
