/** One account with more jobs than it may run. */
import type { Adversary } from '../adversary.ts';
import { openAccounts } from '../target.ts';
import { createJobs, splitRequest } from './jobs.ts';
import { repeat } from './repetition.ts';

const JOBS = 1_000;
const AT_ONCE = 10;

export const QUEUE: readonly Adversary[] = [
  {
    name: 'long-queue',
    title: `up to ${JOBS} queued jobs of one account`,
    bound: 'concurrent jobs of the plan',
    async play(target) {
      const [account] = await openAccounts(target, 1);
      const jobs = createJobs();
      let posted = 0;
      const posting = repeat(AT_ONCE, 100, async () => {
        if (account === undefined || posted >= JOBS) return;
        posted += 1;
        await jobs.post(account, splitRequest(`${target.samplesUrl}tour.mp3`));
      });
      return {
        async stop() {
          await posting[Symbol.asyncDispose]();
          return `${jobs.got()}; ${await jobs.end()}`;
        },
      };
    },
  },
];
