/** Sources whose names take long to resolve, fail, or are many. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Adversary } from '../adversary.ts';
import { openAccounts, type Target } from '../target.ts';
import { postJobs, splitRequest } from './jobs.ts';

const LOOPS = 20;
const ACCOUNTS = 4;
const SLOW_MS = 1_500;
/** The flags of a DNS message (RFC 1035): a response, with recursion; the low bits are the code. */
const RESPONSE = 0x8180;
const NO_SUCH_NAME = 3;

/** Never responds for `hang.*`, and slowly for `slow.*`; neither name exists. */
async function startNameServer(port: number): Promise<AsyncDisposable> {
  const socket = createSocket('udp4');
  let isOpen = true;
  socket.on('message', async (query, { port: from, address }) => {
    const name = query.subarray(12).toString('latin1');
    if (name.includes('hang')) return;
    if (name.includes('slow')) await sleep(SLOW_MS);
    const answer = Buffer.from(query);
    answer.writeUInt16BE(RESPONSE | NO_SUCH_NAME, 2);
    if (isOpen) socket.send(answer, from, address, () => undefined);
  });
  socket.bind(port, '127.0.0.1');
  await once(socket, 'listening');
  return {
    async [Symbol.asyncDispose]() {
      isOpen = false;
      socket.close();
    },
  };
}

async function playNames(target: Target, nameOf: (number: number) => string) {
  await using starting = new AsyncDisposableStack();
  starting.use(await startNameServer(target.nameServerPort));
  return postJobs({
    accounts: await openAccounts(target, ACCOUNTS),
    requestOf: (number) => splitRequest(`http://${nameOf(number)}/a.mp3`),
    loops: LOOPS,
    pauseMs: 500,
    resources: starting.move(),
  });
}

export const NAMES: readonly Adversary[] = [
  {
    name: 'hanging-names',
    title: 'names that no server answers for',
    bound: '4 names of an account at once, 2 tries of 2 s',
    play: (target) => playNames(target, (number) => `hang${number % 50}.example.com`),
  },
  {
    name: 'slow-names',
    title: 'names that take 1.5 s, and do not exist',
    bound: '4 names of an account at once, failures kept 5 s',
    play: (target) => playNames(target, (number) => `slow${number % 50}.example.com`),
  },
  {
    name: 'many-names',
    title: 'a new name for each job',
    bound: '4 names of an account at once',
    play: (target) => playNames(target, (number) => `new${number}.example.com`),
  },
];
