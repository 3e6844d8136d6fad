/** The adversaries' jobs: posted, followed for the report, and canceled at the end. */
import { setTimeout as sleep } from 'node:timers/promises';
import { AudiosplitError, type Body } from '@audiosplit/client';
import type { Account } from '../../harness/accounts/open-account.ts';
import type { Attack } from '../adversary.ts';
import { createTally, repeat } from './repetition.ts';

type Request = Body<'createSplit'>;

interface Posting {
  readonly accounts: readonly Account[];
  /** Counted from 0. */
  readonly requestOf: (number: number) => Request;
  readonly loops: number;
  readonly pauseMs: number;
  /** Posted before the attack counts as started; 0 by default. */
  readonly first?: number;
  /** Disposed of at the end. */
  readonly resources?: AsyncDisposable;
  /** Additional text for the report. */
  readonly more?: () => string;
}

/** Posts jobs of the accounts in turn until it is stopped; then cancels those that have not ended. */
export async function postJobs(posting: Posting): Promise<Attack> {
  const { accounts, requestOf, loops, pauseMs, first = 0, resources, more } = posting;
  const answers = createTally();
  let number = 0;
  const post = async () => {
    const account = accounts[number % accounts.length];
    if (account === undefined) return;
    const request = requestOf(number);
    number += 1;
    try {
      await account.client.createSplit(request);
      answers.add('accepted');
    } catch (error) {
      answers.add(error instanceof AudiosplitError ? error.code : 'unanswered');
    }
  };
  await Promise.all(Array.from({ length: first }, post));
  const repetition = repeat(loops, pauseMs, post);
  return {
    async stop() {
      await repetition[Symbol.asyncDispose]();
      const ends = createTally();
      await Promise.all(accounts.map((account) => endJobs(account, ends)));
      await resources?.[Symbol.asyncDispose]();
      return [answers, ends, ...(more === undefined ? [] : [more()])].join('; ');
    },
  };
}

/**
 * Running jobs are canceled first: if the account's limit ends, those would go on beside the next adversary. They are
 * looked for once more at the end, because queued jobs start when others are canceled.
 */
async function endJobs({ client }: Account, ends: ReturnType<typeof createTally>): Promise<void> {
  for (const status of ['processing', 'queued', 'processing'] as const) {
    const jobs = await withinLimit(() => Array.fromAsync(client.eachSplit({ status })));
    for (const { id } of jobs) await withinLimit(() => client.cancelSplit(id)).catch(() => undefined);
  }
  const jobs = await withinLimit(() => Array.fromAsync(client.eachSplit({ status: 'failed' })));
  for (const { error } of jobs) ends.add(error?.code ?? 'failed');
  const { pagination } = await withinLimit(() => client.listSplits({ status: 'completed', limit: 1 }));
  ends.add('completed', pagination.total);
}

/** Waits for the account's next minute if its requests in this one are spent. */
export async function withinLimit<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof AudiosplitError) || error.code !== 'RATE_LIMITED') throw error;
    await sleep((error.retryAfter ?? 1) * 1_000);
    return await call();
  }
}

/** Ten seconds per segment, into the source's format unless `more` sets another. */
export function splitRequest(
  sourceUrl: string,
  more: Pick<Request, 'outputFormat' | 'webhookUrl'> = {},
): Request {
  return { sourceUrl, splitMode: 'duration', segmentDuration: 10, ...more };
}
