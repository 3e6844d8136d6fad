/** Sources that cost time: each of their servers makes a splitter wait in a different way. */
import { readFileSync, statSync } from 'node:fs';
import type { RequestListener, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '../../harness/servers/listen.ts';
import { TOUR_SAMPLE_PATH } from '../../harness/servers/sources.ts';
import { trickle } from '../../harness/servers/trickle.ts';
import type { Adversary } from '../adversary.ts';
import { openAccounts, type Target } from '../target.ts';
import { postJobs, splitRequest } from './jobs.ts';

const JOBS = 50;
const ACCOUNTS = 4;
/** Connections of an account are counted by host and port. */
const SERVERS = 8;
/** 1,100 bytes a second: just above the lowest accepted speed. */
const TRICKLE = { bytes: 110, everyMs: 100 };
/** Enough for an engine to begin, and then to starve. */
const FAST_BYTES = 1_500_000;
const REDIRECTS = 5;
const REDIRECT_DELAY_MS = 3_000;

/** The whole file, slowly. */
export const trickleSample: RequestListener = (_request, response) =>
  void trickle(response, { sizeBytes: statSync(TOUR_SAMPLE_PATH).size, fastBytes: 0, ...TRICKLE });

const trickleAfterMegabyte: RequestListener = (_request, response) =>
  void trickle(response, { sizeBytes: 20 * FAST_BYTES, fastBytes: FAST_BYTES, ...TRICKLE });

const neverAnswer: RequestListener = () => undefined;

const stopHalfWay: RequestListener = (_request, response) => {
  const audio = readFileSync(TOUR_SAMPLE_PATH);
  beginAudio(response, audio.length);
  response.write(audio.subarray(0, audio.length / 2));
};

const redirectSlowly: RequestListener = async (request, response) => {
  const number = Number(new URL(request.url ?? '', 'http://localhost').searchParams.get('n') ?? 0);
  await sleep(REDIRECT_DELAY_MS);
  if (number < REDIRECTS) response.writeHead(302, { location: `/?n=${number + 1}` }).end();
};

function beginAudio(response: ServerResponse, bytes: number): void {
  response.on('error', () => undefined);
  response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': bytes });
}

async function playSources(target: Target, listener: RequestListener) {
  await using starting = new AsyncDisposableStack();
  const accounts = await openAccounts(target, ACCOUNTS);
  const servers = await Promise.all(Array.from({ length: SERVERS }, () => listen(listener)));
  for (const server of servers) starting.use(server);
  return postJobs({
    accounts,
    requestOf: (number) => splitRequest(`${servers[number % servers.length]?.url}/`),
    first: JOBS,
    loops: ACCOUNTS,
    pauseMs: 1_000,
    resources: starting.move(),
  });
}

export const SOURCES: readonly Adversary[] = [
  {
    name: 'trickle',
    title: `sources of 1,100 bytes a second, ${JOBS} jobs of ${ACCOUNTS} accounts`,
    bound: 'SPLITTER_FETCHES, shared among accounts',
    play: (target) => playSources(target, trickleSample),
  },
  {
    name: 'late-trickle',
    title: `the same after ${FAST_BYTES / 1e6} MB at full speed`,
    bound: 'a starved engine gives up its slot, and delays no other source',
    play: (target) => playSources(target, trickleAfterMegabyte),
  },
  {
    name: 'silent-sources',
    title: 'sources that never answer',
    bound: 'first byte within 15 s, two tries',
    play: (target) => playSources(target, neverAnswer),
  },
  {
    name: 'half-sources',
    title: 'sources that stop half-way',
    bound: '15 s without a byte',
    play: (target) => playSources(target, stopHalfWay),
  },
  {
    name: 'slow-redirects',
    title: `sources that redirect ${REDIRECTS} times, slowly`,
    bound: 'first byte within 15 s',
    play: (target) => playSources(target, redirectSlowly),
  },
];
