/** A cancel is heard at once, whatever the job is at: what works for it ends, and what it has taken up is free again. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { globSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { completeJob, connect, createJob, sampleUrl, uploadFile } from '../harness/product/api.ts';
import { type Product, temporaryFolder, until } from '../harness/product/product.ts';
import { makeNoise } from './audio.ts';
import { scenario, sharedProduct } from './scenario.ts';

/**
 * From the answer to a cancel to the end of all work for the job: 2 s where there is room. Here encoders, engines and all
 * services share what processors there are; what is held apart is the next renewal of a lease, up to 10 s away.
 */
const HEARD_WITHIN_MS = 6_000;
const SAMPLE = resolve(import.meta.dirname, '../../deploy/embedded/samples/tour.mp3');
/** Above the speed below which a splitter gives a source up. */
const TRICKLE = { bytes: 700, everyMs: 500 };
/** Many minutes of work for one core. */
const NOISE_SECONDS = 1_800;

const product = sharedProduct({ env: { EGRESS_ALLOW_CIDRS: '127.0.0.0/8' } });

const cancel = (product: Product, id: string) => connect(product, product).cancelSplit(id);

scenario(
  'a cancel reaches a running ffmpeg soon, and its scratch files go',
  { covers: ['DELETE /api/v1/splits/:jobId'], timeoutMs: 240_000 },
  async () => {
    const running = await product();
    const folder = await temporaryFolder();
    try {
      const path = join(folder, 'noise.wav');
      await makeNoise(path, NOISE_SECONDS);
      const { id } = await createJob(running, {
        sourceUrl: await uploadFile(running, path),
        splitMode: 'duration',
        segmentDuration: 600,
        outputFormat: 'ogg',
      });
      await until(async () => encodersOf(id).length > 0, 60_000, 'an ffmpeg works for the job');
      assert.notDeepEqual(scratchOf(running, id), []);

      const canceled = await endsInTime(
        () => cancel(running, id),
        async () => encodersOf(id).length === 0 && scratchOf(running, id).length === 0,
      );
      assert.equal(canceled.status, 'failed');
      // A canceled job is no longer processing, so it can be removed at once.
      await connect(running, running).deleteSplit(id);

      const wish = { sourceUrl: sampleUrl(running), splitMode: 'duration', segmentDuration: 20 } as const;
      await completeJob(running, (await createJob(running, wish)).id);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

scenario(
  'a cancel ends a download that takes long, and lets the job go that waited for its place',
  { timeoutMs: 120_000 },
  async () => {
    const running = await product();
    await using source = await startTricklingSource(running);
    const begin = (name: string) =>
      createJob(running, { sourceUrl: source.urlOf(name), splitMode: 'duration', segmentDuration: 20 });
    // The account may run four at once, so the last cannot begin before two have ended; splitters may have less room.
    const jobs = new Map<string, string>();
    for (const name of ['first', 'second', 'third', 'fourth', 'fifth', 'last']) {
      jobs.set(name, (await begin(name)).id);
    }
    const idOf = (name: string) => jobs.get(name) ?? assert.fail(name);
    await until(async () => source.open().length >= 2, 30_000, 'downloads go on');

    assert.equal((await cancel(running, idOf('last'))).status, 'failed');
    const [ended = assert.fail()] = source.open();
    const begun = source.asked().length;
    await endsInTime(
      () => cancel(running, idOf(ended)),
      async () => !source.open().includes(ended) && scratchOf(running, idOf(ended)).length === 0,
    );
    await until(async () => source.asked().length > begun, 30_000, 'its place is taken');
    for (const [name, id] of jobs) {
      if (name === ended || name === 'last') continue;
      await endsInTime(
        () => cancel(running, id),
        async () => scratchOf(running, id).length === 0,
      );
    }
    await until(async () => source.open().length === 0, HEARD_WITHIN_MS, 'all downloads have ended');
    assert.ok(!source.asked().includes('last'), 'what was canceled in the queue has never begun');
  },
);

async function endsInTime<T>(act: () => Promise<T>, hasEnded: () => Promise<boolean>): Promise<T> {
  const answer = await act();
  await until(hasEnded, HEARD_WITHIN_MS, 'the work has ended');
  return answer;
}

/** Processes that are told of the job's scratch folder, or are in it. */
function encodersOf(jobId: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
      const isTold = command.includes(jobId) || readlinkSync(`/proc/${pid}/cwd`).includes(jobId);
      return isTold && command.includes('ffmpeg');
    } catch {
      return false;
    }
  });
}

/** What goes while it is looked for is not there. */
function scratchOf({ scratchDirs }: Product, jobId: string): string[] {
  return scratchDirs.flatMap((cwd) => globSync(`**/*${jobId}*`, { cwd }));
}

/** Goes on for minutes, just fast enough not to be given up. */
async function startTricklingSource({ hostAddress }: Product) {
  const sample = await readFile(SAMPLE);
  const asked: string[] = [];
  const open = new Set<string>();
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const name = request.url?.slice(1).replace('.mp3', '') ?? '';
    response.writeHead(200, { 'content-type': 'audio/mpeg' });
    // Asked for its size alone, it tells none, and its job is accepted.
    if (request.method !== 'GET' || request.headers.range !== undefined) {
      response.end();
      return;
    }
    asked.push(name);
    open.add(name);
    let sent = 0;
    const send = () => {
      response.write(sample.subarray(sent, sent + TRICKLE.bytes));
      sent += TRICKLE.bytes;
    };
    send();
    const timer = setInterval(send, TRICKLE.everyMs);
    response.once('close', () => {
      clearInterval(timer);
      open.delete(name);
    });
  });
  server.listen(0, hostAddress);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: (name: string) => `http://${hostAddress}:${port}/${name}.mp3`,
    open: () => [...open],
    asked: () => asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
