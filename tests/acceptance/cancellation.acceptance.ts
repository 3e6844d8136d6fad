/**
 * A cancel takes effect at once in every state of a job: its work ends, and its disk space and capacity are
 * released.
 */
import assert from 'node:assert/strict';
import { globSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@audiosplit/chassis/testing/until';
import type { Product } from '../harness/installation/as-a-user/product.ts';
import { listen } from '../harness/servers/listen.ts';
import { TOUR_SAMPLE_PATH } from '../harness/servers/sources.ts';
import { clientOf, completeJob, createJob, registerWithKey, sampleBy } from './api.ts';
import { uploadNoise } from './audio.ts';
import { onSharedProduct } from './scenario.ts';

/**
 * From the response to a cancel to the end of all work for the job: 2 s on an idle machine. Here encoders,
 * engines and all services share the processors. The test must distinguish it from the next renewal of a
 * lease, up to 10 s later.
 */
const ENDS_WITHIN_MS = 6_000;
/** Above the minimum speed, below which a splitter gives a source up. */
const TRICKLE = { bytes: 700, everyMs: 500 };
/** Many minutes of work for one core. */
const NOISE_SECONDS = 1_800;

const scenario = onSharedProduct();

const cancel = (of: Product, id: string) => clientOf(of).cancelSplit(id);

scenario(
  'a cancel ends a running ffmpeg soon, and its scratch files are deleted',
  { covers: ['DELETE /api/v1/splits/:jobId'], timeoutMs: 240_000 },
  async (product) => {
    const sourceUrl = await uploadNoise(product, NOISE_SECONDS);
    const cut = { splitMode: 'duration', segmentDuration: 600, outputFormat: 'ogg' } as const;
    const { id } = await createJob(product, { sourceUrl, ...cut });
    await until(() => encodersOf(id).length > 0, 'an ffmpeg works for the job', 60_000);
    assert.notDeepEqual(scratchOf(product, id), []);

    const canceled = await endsInTime(
      () => cancel(product, id),
      () => encodersOf(id).length === 0 && scratchOf(product, id).length === 0,
    );
    assert.equal(canceled.status, 'failed');
    // A canceled job is no longer processing, so it can be removed at once.
    await clientOf(product).deleteSplit(id);

    await completeJob(product, (await createJob(product, sampleBy(product, 20))).id);
  },
);

scenario(
  'a cancel ends a long download, and the job that waited for its slot starts',
  { timeoutMs: 120_000 },
  async (shared) => {
    // The plan allows five at once, so the last cannot begin before two have ended; splitters may have less
    // room.
    const { apiKey } = await registerWithKey(shared, { plan: 'plan_starter' });
    const product = { ...shared, apiKey };
    await using source = await startTricklingSource(product);
    const begin = (name: string) =>
      createJob(product, { sourceUrl: source.urlOf(name), splitMode: 'duration', segmentDuration: 20 });
    const jobs = new Map<string, string>();
    for (const name of ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'last']) {
      jobs.set(name, (await begin(name)).id);
    }
    const idOf = (name: string) => jobs.get(name) ?? assert.fail(name);
    await until(() => source.open().length >= 2, 'downloads go on');

    assert.equal((await cancel(product, idOf('last'))).status, 'failed');
    const [ended = assert.fail()] = source.open();
    const begun = source.requested().length;
    await endsInTime(
      () => cancel(product, idOf(ended)),
      () => !source.open().includes(ended) && scratchOf(product, idOf(ended)).length === 0,
    );
    await until(() => source.requested().length > begun, 'another job has started in its place');
    for (const [name, id] of jobs) {
      if (name === ended || name === 'last') continue;
      await endsInTime(
        () => cancel(product, id),
        () => scratchOf(product, id).length === 0,
      );
    }
    await until(() => source.open().length === 0, 'all downloads have ended', ENDS_WITHIN_MS);
    assert.ok(!source.requested().includes('last'), 'what was canceled in the queue has never begun');
  },
);

async function endsInTime<T>(act: () => Promise<T>, hasEnded: () => boolean): Promise<T> {
  const answer = await act();
  const looksEnded = async () => {
    // Polling uses the processors that the work shares.
    await sleep(100);
    return hasEnded();
  };
  await until(looksEnded, 'the work has ended', ENDS_WITHIN_MS);
  return answer;
}

/** Processes that have the job's scratch folder as an argument or as working directory. */
function encodersOf(jobId: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
      const isOfJob = command.includes(jobId) || readlinkSync(`/proc/${pid}/cwd`).includes(jobId);
      return isOfJob && command.includes('ffmpeg');
    } catch {
      return false;
    }
  });
}

function scratchOf({ scratchDirs }: Product, jobId: string): string[] {
  return scratchDirs.flatMap((cwd) => globSync(`**/*${jobId}*`, { cwd }));
}

/** Lasts for minutes, just fast enough not to be given up. */
async function startTricklingSource({ hostAddress }: Product) {
  const sample = await readFile(TOUR_SAMPLE_PATH);
  const requested: string[] = [];
  const open = new Set<string>();
  const server = await listen((request, response) => {
    const name = request.url?.slice(1).replace('.mp3', '') ?? '';
    response.writeHead(200, { 'content-type': 'audio/mpeg' });
    // A request that only reads its size gets none, and its job is accepted.
    if (request.method !== 'GET' || request.headers.range !== undefined) return void response.end();
    requested.push(name);
    open.add(name);
    let sent = 0;
    const timer = setInterval(() => {
      response.write(sample.subarray(sent, sent + TRICKLE.bytes));
      sent += TRICKLE.bytes;
    }, TRICKLE.everyMs);
    response.once('close', () => {
      clearInterval(timer);
      open.delete(name);
    });
  }, hostAddress);
  return {
    ...server,
    urlOf: (name: string) => `${server.url}/${name}.mp3`,
    open: () => [...open],
    requested: () => requested,
  };
}
