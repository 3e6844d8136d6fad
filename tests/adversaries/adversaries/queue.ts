/** One account with more jobs than it may run. */
import type { Adversary } from '../adversary.ts';
import { openOneAccount, type Target } from '../target.ts';
import { withinLimit } from './jobs.ts';

const JOBS = 1_000;
const SETTINGS = { splitMode: 'duration', segmentDuration: 10 } as const;

async function queueJobs(target: Target) {
  const { client } = await openOneAccount(target);
  const sources = Array.from({ length: JOBS }, () => `${target.samplesUrl}tour.mp3`);
  const { id } = await client.createBatch({ sources, settings: SETTINGS });
  return {
    async stop() {
      const { total, completed, queued } = await withinLimit(() => client.getBatch(id));
      await withinLimit(() => client.cancelBatch(id));
      return `${total} x accepted; ${completed} x completed, ${queued} x queued at the end`;
    },
  };
}

export const QUEUE: readonly Adversary[] = [
  {
    name: 'long-queue',
    title: `${JOBS} queued jobs of one account`,
    bound: 'concurrent jobs of the plan',
    play: queueJobs,
  },
];
