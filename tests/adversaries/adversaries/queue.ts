/** One account with more jobs than it may run. */
import type { Adversary } from '../adversary.ts';
import { openAccounts } from '../target.ts';
import { postJobs, splitRequest } from './jobs.ts';

const JOBS = 1_000;
const AT_ONCE = 10;

export const QUEUE: readonly Adversary[] = [
  {
    name: 'long-queue',
    title: `up to ${JOBS} queued jobs of one account`,
    bound: 'concurrent jobs of the plan',
    async play(target) {
      return postJobs({
        accounts: await openAccounts(target, 1),
        requestOf: () => splitRequest(`${target.samplesUrl}tour.mp3`),
        loops: AT_ONCE,
        pauseMs: 100,
        most: JOBS,
      });
    },
  },
];
