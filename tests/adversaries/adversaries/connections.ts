/** Connections that are opened and then used as slowly as possible. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '../../harness/servers/listen.ts';
import type { Adversary } from '../adversary.ts';
import { fetchFrom, openAccounts, openOneAccount, type Target } from '../target.ts';
import { splitRequest } from './jobs.ts';
import { createTally, repeat } from './repetition.ts';
import { trickleSample } from './sources.ts';

const SLOW_CONNECTIONS = 500;
const IDLE_CONNECTIONS = 1_000;
const STREAMS = 500;
const STREAM_ACCOUNTS = 4;
const READERS = 50;
const BODY_BYTES = 200_000;

/** Keeps `count` connections open, each of which sends `first` and then a byte a second. */
async function playConnections({ baseUrl }: Target, count: number, first: string, then: string) {
  const { hostname, port } = new URL(baseUrl);
  const answers = createTally();
  const asking = repeat(count, 250, async (_loop, signal) => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    const stop = () => socket.destroy();
    signal.addEventListener('abort', stop, { once: true });
    socket.write(first);
    const drip = setInterval(() => void (then !== '' && socket.write(then)), 1_000);
    answers.add(await firstLine(socket));
    clearInterval(drip);
    signal.removeEventListener('abort', stop);
    socket.destroy();
  });
  return {
    async stop() {
      await asking[Symbol.asyncDispose]();
      return String(answers);
    },
  };
}

/** The first line of the response; also resolves when the connection closes without a response. */
async function firstLine(socket: Socket): Promise<string> {
  for await (const chunk of socket) return String(chunk).split('\r\n', 1)[0] ?? '';
  return 'closed';
}

/** Event streams of jobs that run for long. */
async function playStreams(target: Target) {
  await using starting = new AsyncDisposableStack();
  const { url } = starting.use(await listen(trickleSample));
  const accounts = await openAccounts(target, STREAM_ACCOUNTS);
  const jobIds = await Promise.all(
    accounts.map(async ({ client }) => (await client.createSplit(splitRequest(`${url}/`))).id),
  );
  const answers = createTally();
  const streaming = repeat(STREAMS, 1_000, async (loop, signal) => {
    const number = loop % accounts.length;
    const response = await fetch(`${target.baseUrl}/api/v1/splits/${jobIds[number]}/events`, {
      headers: { 'x-api-key': accounts[number]?.apiKey ?? '' },
      signal,
    });
    answers.add(response.status);
    if (!response.ok) await response.body?.cancel();
    else for await (const _ of response.body ?? []);
  });
  const playing = starting.move();
  return {
    async stop() {
      await streaming[Symbol.asyncDispose]();
      await Promise.all(
        accounts.map(({ client }, n) => client.cancelSplit(jobIds[n] ?? '').catch(() => undefined)),
      );
      await playing.disposeAsync();
      return String(answers);
    },
  };
}

/** Readers of an archive that read only until their socket's buffer is full. */
async function playReaders(target: Target) {
  const { client, apiKey } = await openOneAccount(target);
  const { id } = await client.createSplit(
    splitRequest(`${target.samplesUrl}tour.mp3`, { outputFormat: 'wav' }),
  );
  await client.waitForJob(id);
  const { hostname, port } = new URL(target.baseUrl);
  const sockets = Array.from({ length: READERS }, () => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.pause();
    socket.write(
      `GET /api/v1/splits/${id}/archive HTTP/1.1\r\nhost: ${hostname}\r\nx-api-key: ${apiKey}\r\n\r\n`,
    );
    return socket;
  });
  const reading = setInterval(() => sockets.forEach((socket) => void socket.read(1)), 1_000);
  await sleep(1_000);
  return {
    async stop() {
      clearInterval(reading);
      const bytes = sockets.reduce((sum, socket) => sum + socket.bytesRead, 0);
      for (const socket of sockets) socket.destroy();
      return `${bytes} bytes taken by ${READERS} readers`;
    },
  };
}

/** Bodies with an announced megabyte, of which half is sent, and which never end. */
async function playHalfBodies(target: Target) {
  const fetchFromElsewhere = fetchFrom('127.100.0.99');
  const answers = createTally();
  const asking = repeat(SLOW_CONNECTIONS, 250, async (_loop, signal) => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(BODY_BYTES).fill(0x20)),
    });
    const response = await fetchFromElsewhere(`${target.baseUrl}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      duplex: 'half',
      signal,
    });
    answers.add(response.status);
    await response.body?.cancel();
  });
  return {
    async stop() {
      await asking[Symbol.asyncDispose]();
      return String(answers);
    },
  };
}

const POST = 'POST /api/v1/auth/login HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n';

export const CONNECTIONS: readonly Adversary[] = [
  {
    name: 'slow-headers',
    title: `${SLOW_CONNECTIONS} requests whose headers come a byte a second`,
    bound: 'headers within 10 s',
    play: (target) => playConnections(target, SLOW_CONNECTIONS, 'GET /healthz HTTP/1.1\r\nx-a: ', 'a'),
  },
  {
    name: 'slow-bodies',
    title: `${SLOW_CONNECTIONS} bodies of a byte a second`,
    bound: 'a body within 20 s',
    play: (target) => playConnections(target, SLOW_CONNECTIONS, `${POST}content-length: 5000\r\n\r\n`, ' '),
  },
  {
    name: 'half-bodies',
    title: `${SLOW_CONNECTIONS} bodies of ${BODY_BYTES} bytes that never end`,
    bound: 'BODY_BUFFER_BYTES, 64 KiB for a caller who is not identified',
    play: playHalfBodies,
  },
  {
    name: 'idle-connections',
    title: `${IDLE_CONNECTIONS} idle connections`,
    bound: 'headers within 10 s',
    play: (target) => playConnections(target, IDLE_CONNECTIONS, '', ''),
  },
  {
    name: 'event-streams',
    title: `${STREAMS} event streams of ${STREAM_ACCOUNTS} accounts`,
    bound: '50 streams of an account, 100 of an address',
    play: playStreams,
  },
  {
    name: 'slow-readers',
    title: `${READERS} readers of an archive, a byte a second`,
    bound: '256 KiB of memory for a reader',
    play: playReaders,
  },
];
