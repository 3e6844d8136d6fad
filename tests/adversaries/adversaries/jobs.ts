/** The adversaries' jobs: posted, followed for the report, and canceled at the end. */
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
  /** Unbounded by default. */
  readonly most?: number;
  /** Disposed of at the end. */
  readonly resources?: AsyncDisposable;
  /** Additional text for the report. */
  readonly more?: () => string;
}

/** Posts jobs of the accounts in turn until it is stopped; then cancels those that have not ended. */
export async function postJobs(posting: Posting): Promise<Attack> {
  const { accounts, requestOf, loops, pauseMs, first = 0, most = Number.POSITIVE_INFINITY } = posting;
  const { resources, more } = posting;
  const answers = createTally();
  let number = 0;
  const post = async () => {
    const account = accounts[number % accounts.length];
    if (account === undefined || number >= most) return;
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
      await Promise.all(accounts.map(({ client }) => endJobs(client, ends)));
      await resources?.[Symbol.asyncDispose]();
      return [answers, ends, ...(more === undefined ? [] : [more()])].join('; ');
    },
  };
}

/** With few requests: those to an account on Starter are refused beyond 60 a minute, and its jobs would go on. */
async function endJobs(client: Account['client'], ends: ReturnType<typeof createTally>): Promise<void> {
  for await (const job of client.eachSplit()) {
    if (job.status === 'failed') ends.add(job.error?.code ?? job.status);
    else if (job.status === 'queued' || job.status === 'processing') {
      const isCancelled = await client.cancelSplit(job.id).then(
        () => true,
        () => false,
      );
      ends.add(isCancelled ? 'cancelled at the end' : 'left');
    } else ends.add(job.status);
  }
}

/** Ten seconds per segment, into the source's format unless `more` sets another. */
export function splitRequest(
  sourceUrl: string,
  more: Pick<Request, 'outputFormat' | 'webhookUrl'> = {},
): Request {
  return { sourceUrl, splitMode: 'duration', segmentDuration: 10, ...more };
}
