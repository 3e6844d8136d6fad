/**
 * A steady stream of jobs through the public API, sent by the product's own client. It retries a failed
 * request with the same Idempotency-Key until the job is accepted.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { AudiosplitError } from '@audiosplit/client';
import type { Random } from '../random.ts';
import type { Sources } from '../servers/sources.ts';
import type { LoadAccount } from './accounts.ts';
import { type Destination, type Recipe, WEIGHTED_RECIPES } from './recipes.ts';

export interface LoadedJob {
  readonly number: number;
  readonly account: LoadAccount;
  readonly recipe: Recipe;
  readonly postedAt: Date;
  /** Set once the response that accepted the job was received. */
  accepted?: { readonly id: string; readonly at: Date };
  /** The API has refused it permanently. */
  refusal?: string;
}

export type Load = ReturnType<typeof createLoad>;

interface LoadOptions {
  readonly seed: number;
  readonly random: Random;
  readonly accounts: readonly LoadAccount[];
  readonly sources: Sources;
  readonly webhookUrl: string;
  /** The destination of a job's segments; by default the service keeps them. */
  readonly destinationOf?: (job: Pick<LoadedJob, 'number' | 'recipe'>) => Destination;
  /** Abandons unanswered requests: calls that wait for them reject with the reason. */
  readonly signal: AbortSignal;
}

const SLOWEST_PACE_MS = 4_000;
/** Before the next attempt, after a response that the client itself does not retry. */
const PAUSE_MS = 1_000;

export function createLoad(options: LoadOptions) {
  const { seed, random, accounts, sources, webhookUrl, destinationOf, signal } = options;
  const jobs: LoadedJob[] = [];

  /** Resolves with the job once it is accepted or permanently refused. */
  const post = async (recipe: Recipe, paceMs: number): Promise<LoadedJob> => {
    const number = jobs.length;
    const account = accounts[number % accounts.length];
    if (account === undefined) throw new Error('a load needs an account');
    const job: LoadedJob = { number, account, recipe, postedAt: new Date() };
    jobs.push(job);
    const request = recipe.request({
      sourceUrl: sources.url(recipe.source, { paceMs }),
      webhookUrl: `${webhookUrl}/${number}`,
      metadata: { number },
      ...destinationOf?.(job),
    });
    const call = { idempotencyKey: `chaos-${seed}-${number}`, signal };
    while (job.accepted === undefined && job.refusal === undefined) {
      try {
        const { id } = await account.client.createSplit(request, call);
        job.accepted = { id, at: new Date() };
      } catch (error) {
        if (!(error instanceof AudiosplitError)) throw error;
        const isRefusal = error.status >= 400 && error.status < 500;
        if (isRefusal) job.refusal = `${error.status} ${error.code}: ${error.message}`;
        else await sleep(PAUSE_MS, undefined, { signal });
      }
    }
    return job;
  };

  return {
    jobs,
    post,
    /**
     * Posts at the rate until aborted, and pauses while `isFull`; resolves once every post has been answered.
     */
    async run(jobsPerSecond: number, until: AbortSignal, isFull: () => boolean) {
      const inFlight = new Set<Promise<unknown>>();
      const stopped = AbortSignal.any([until, signal]);
      while (!stopped.aborted) {
        if (!isFull()) {
          const posting = post(random.pick(WEIGHTED_RECIPES), random.between(0, SLOWEST_PACE_MS));
          inFlight.add(posting);
          // A rejected request stays in the set, and rejects below.
          posting.then(() => inFlight.delete(posting)).catch(() => undefined);
        }
        // Between half and one and a half times the mean interval.
        const pauseMs = (1_000 / jobsPerSecond) * (0.5 + random.next());
        await sleep(pauseMs, undefined, { signal: stopped }).catch(() => undefined);
      }
      await Promise.all(inFlight);
    },
  };
}
