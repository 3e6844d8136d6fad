/**
 * A steady stream of jobs through the public API, sent by the product's own client. It repeats a failed request under the
 * same Idempotency-Key, until the job is accepted.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { AudiosplitError } from '@audiosplit/client';
import type { Random } from '../random.ts';
import type { Sources } from '../servers/sources.ts';
import type { LoadAccount } from './accounts.ts';
import { type Recipe, WEIGHTED_RECIPES } from './recipes.ts';

export interface LoadedJob {
  readonly number: number;
  readonly account: LoadAccount;
  readonly recipe: Recipe;
  readonly postedAt: Date;
  /** Set once its acceptance was received. */
  accepted?: { readonly id: string; readonly at: Date };
  /** The API has refused it for good. */
  refusal?: string;
}

export type Load = ReturnType<typeof createLoad>;

interface LoadOptions {
  readonly seed: number;
  readonly random: Random;
  readonly accounts: readonly LoadAccount[];
  readonly sources: Sources;
  readonly webhookUrl: string;
  /** Gives up unanswered requests: what waits for them rejects with the reason. */
  readonly signal: AbortSignal;
}

const SLOWEST_PACE_MS = 4_000;
/** Before the next attempt, after a response that the client itself does not retry. */
const PAUSE_MS = 1_000;

export function createLoad({ seed, random, accounts, sources, webhookUrl, signal }: LoadOptions) {
  const jobs: LoadedJob[] = [];

  /** Resolves with the job once it is accepted, or refused for good. */
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
    });
    const options = { idempotencyKey: `chaos-${seed}-${number}`, signal };
    while (job.accepted === undefined && job.refusal === undefined) {
      try {
        const { id } = await account.client.createSplit(request, options);
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
    /** Posts at the rate until aborted, and nothing while `isFull`; resolves once everything that was posted has been answered. */
    async run(jobsPerSecond: number, until: AbortSignal, isFull: () => boolean) {
      const inFlight = new Set<Promise<unknown>>();
      const stopped = AbortSignal.any([until, signal]);
      while (!stopped.aborted) {
        if (!isFull()) {
          const posting = post(random.pick(WEIGHTED_RECIPES), random.between(0, SLOWEST_PACE_MS));
          inFlight.add(posting);
          // A request that rejects stays, and rejects below.
          posting.then(() => inFlight.delete(posting)).catch(() => undefined);
        }
        // Half to one and a half times the mean interval.
        const pauseMs = (1_000 / jobsPerSecond) * (0.5 + random.next());
        await sleep(pauseMs, undefined, { signal: stopped }).catch(() => undefined);
      }
      await Promise.all(inFlight);
    },
  };
}
