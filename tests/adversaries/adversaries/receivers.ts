/** Receivers of webhooks that accept the request and never respond. */
import { listen } from '../../harness/servers/listen.ts';
import type { Adversary } from '../adversary.ts';
import { openAccounts, type Target } from '../target.ts';
import { postJobs, splitRequest } from './jobs.ts';

const ACCOUNTS = 4;
const JOBS_AT_ONCE = 8;

async function playReceivers(target: Target, count: number) {
  await using starting = new AsyncDisposableStack();
  const accounts = await openAccounts(target, ACCOUNTS);
  let asked = 0;
  const hang = () => {
    asked += 1;
  };
  const servers = await Promise.all(Array.from({ length: count }, () => listen(hang)));
  for (const server of servers) starting.use(server);
  return postJobs({
    accounts,
    requestOf: (number) => {
      const webhookUrl = `${servers[number % servers.length]?.url}/`;
      return splitRequest(`${target.samplesUrl}tour.mp3`, { webhookUrl });
    },
    loops: JOBS_AT_ONCE,
    // A few jobs keep all deliveries of the accounts occupied: the receivers cost, not the jobs.
    pauseMs: 2_000,
    resources: starting.move(),
    more: () => `${asked} deliveries`,
  });
}

export const RECEIVERS: readonly Adversary[] = [8, 80].map((count) => ({
  name: `hanging-receivers-${count}`,
  title: `${count} receivers that hang`,
  bound: '4 deliveries of an account at once, 2 to one host, a circuit',
  play: (target) => playReceivers(target, count),
}));
