/** Receivers of webhooks that take the request and never answer. */
import { listen } from '../../harness/servers/listen.ts';
import type { Adversary } from '../adversary.ts';
import { openAccounts, type Target } from '../target.ts';
import { createJobs, splitRequest } from './jobs.ts';
import { repeat } from './repetition.ts';

const JOBS_AT_ONCE = 8;

async function playReceivers(target: Target, count: number) {
  await using starting = new AsyncDisposableStack();
  const accounts = await openAccounts(target, 4);
  let asked = 0;
  const hang = () => {
    asked += 1;
  };
  const servers = await Promise.all(Array.from({ length: count }, () => listen(hang)));
  for (const server of servers) starting.use(server);
  const jobs = createJobs();
  let number = 0;
  const posting = starting.use(
    repeat(JOBS_AT_ONCE, 500, async () => {
      const account = accounts[number % accounts.length];
      const server = servers[number % servers.length];
      number += 1;
      if (account === undefined || server === undefined) return;
      const webhookUrl = `${server.url}/`;
      await jobs.post(account, splitRequest(`${target.samplesUrl}tour.mp3`, { webhookUrl }));
    }),
  );
  const playing = starting.move();
  return {
    async stop() {
      await posting[Symbol.asyncDispose]();
      const got = `${jobs.got()}; ${await jobs.end()}; ${asked} deliveries`;
      await playing.disposeAsync();
      return got;
    },
  };
}

export const RECEIVERS: readonly Adversary[] = [8, 80].map((count) => ({
  name: `hanging-receivers-${count}`,
  title: `${count} receivers that hang`,
  bound: '4 deliveries of an account at once, 2 to one host, a circuit',
  play: (target) => playReceivers(target, count),
}));
