/** Events of a job, and its segments in one archive. */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { AudiosplitError } from '@audiosplit/client';
import { parseJobEvents } from '../harness/accounts/job-events.ts';
import { send } from '../harness/accounts/raw.ts';
import type { Product } from '../harness/installation/as-a-user/product.ts';
import {
  assertRateLimitHeaders,
  assertRefuses,
  clientOf,
  completeJob,
  createJob,
  download,
  registerWithKey,
  sampleBy,
  sampleUrl,
} from './api.ts';
import { uploadNoise } from './audio.ts';
import { onSharedProduct } from './scenario.ts';

const scenario = onSharedProduct();

function follow({ baseUrl, apiKey }: Product, jobId: string, lastEventId?: string): Promise<Response> {
  const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
  return send(baseUrl, `GET /api/v1/splits/${jobId}/events`, { apiKey, headers });
}

// Covers D-2.49 D-2.50
scenario(
  'a job is followed from start to end, and no event is repeated',
  { timeoutMs: 180_000 },
  async (product) => {
    const sourceUrl = await uploadNoise(product, 300);
    const cut = { splitMode: 'duration', segmentDuration: 60, outputFormat: 'mp3' } as const;
    const { id } = await createJob(product, { sourceUrl, ...cut, metadata: { episode: 7 } });
    const response = await follow(product, id);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
    assertRateLimitHeaders(response);
    const stream = await response.text();
    assert.match(stream, /^retry: \d+\n/);
    const events = parseJobEvents(stream);
    const ids = events.map((event) => event.id);
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => a - b),
      stream,
    );
    assert.equal(new Set(events.map(({ id: per, data }) => `${per} ${data}`)).size, events.length, stream);
    const end = events.pop();
    for (const { id: per, event, data } of events) {
      assert.equal(event, 'progress');
      const { progress, phase } = JSON.parse(data);
      assert.equal(progress, per);
      assert.match(phase, /^(fetching|cutting|storing)$/);
    }
    assert.equal(end?.event, 'completed');
    const { segmentCount, metadata, segments, error, ...row } = JSON.parse(end.data);
    assert.deepEqual({ segmentCount, metadata }, { segmentCount: 5, metadata: { episode: 7 } });
    assert.deepEqual([row.id, row.status, segments, error], [id, 'completed', undefined, undefined]);

    const late = parseJobEvents(await (await follow(product, id)).text());
    assert.deepEqual(late, [end], 'a late follower gets the end at once');
    assert.equal((await follow(product, id, String(end.id))).status, 204);
  },
);

scenario('a canceled job ends its stream with the reason', {}, async (product) => {
  const { id } = await createJob(product, sampleBy(product, 10));
  const stream = follow(product, id);
  // The job may have ended before the cancel.
  const canceled = await clientOf(product)
    .cancelSplit(id)
    .catch((error: unknown) => assertRefuses(Promise.reject(error), 409, 'JOB_ALREADY_FINISHED'));
  const isCanceled = !(canceled instanceof AudiosplitError);
  const [end] = parseJobEvents(await (await stream).text()).slice(-1);
  assert.equal(end?.event, isCanceled ? 'failed' : 'completed');
  assert.equal(JSON.parse(end.data).error?.code, isCanceled ? 'CANCELED' : undefined);
});

// Covers D-2.51
scenario('all segments are downloaded as one archive of known length', {}, async (product) => {
  const { baseUrl, apiKey } = product;
  const { id } = await createJob(product, sampleBy(product, 10));
  const { segments } = await completeJob(product, id);
  const path = `/api/v1/splits/${id}/archive`;
  const head = await send(baseUrl, `HEAD ${path}`, { apiKey });
  const response = await send(baseUrl, `GET ${path}`, { apiKey });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'application/zip');
  assert.match(response.headers.get('content-disposition') ?? '', /^attachment; filename="?tour\.zip"?/);
  const zip = Buffer.from(await response.arrayBuffer());
  for (const { headers } of [head, response]) assert.equal(headers.get('content-length'), String(zip.length));
  assert.ok(segments.length > 1);
  for (const { index, downloadUrl } of segments) {
    const bytes = await download(downloadUrl);
    const name = `tour-${index}.mp3`;
    const start = zip.indexOf(name) + name.length;
    assert.ok(zip.subarray(start, start + bytes.length).equals(bytes), `${name} is stored as it is`);
  }
});

scenario('the waveform of a job is drawn when it is first requested', {}, async (product) => {
  const client = clientOf(product);
  const { id } = await createJob(product, sampleBy(product, 10));
  const { sourceDuration = assert.fail() } = await completeJob(product, id);
  let waveform = await client.getSplitWaveform(id, { points: 100 });
  while (!('data' in waveform)) {
    await delay(1_000);
    waveform = await client.getSplitWaveform(id, { points: 100 });
  }
  const { length, samples_per_pixel, sample_rate, data } = waveform;
  assert.ok(length <= 100 && data.length === 2 * length);
  assert.ok(Math.abs((length * samples_per_pixel) / sample_rate - sourceDuration) < 1);
  assert.ok(Math.max(...data) > 20, 'the sample is to be heard');
});

scenario("events and archives of another account's jobs are not found", {}, async (product) => {
  const { client: stranger } = await registerWithKey(product);
  const { id } = await createJob(product, sampleBy(product, 30));
  await assertRefuses(stranger.followJob(id).next(), 404, 'JOB_NOT_FOUND');
  await assertRefuses(stranger.downloadArchive(id), 404, 'JOB_NOT_FOUND');
  await completeJob(product, id);
});

// Covers I-2.2.9
scenario(
  'metadata is returned unchanged, also where JavaScript would change it',
  { covers: ['POST /api/v1/splits', 'GET /api/v1/splits/:jobId'] },
  async (product) => {
    const { apiKey } = product;
    const metadata = '{"id":12345678901234567890,"large":1e400,"same":1.0,"same":-0,"pair":"\\ud83d\\ude00"}';
    const sourceUrl = sampleUrl(product);
    const body = `{"sourceUrl":"${sourceUrl}","splitMode":"duration","segmentDuration":30,"metadata":${metadata}}`;
    const create = await send(product.baseUrl, 'POST /api/v1/splits', { apiKey, body });
    const created = await create.text();
    assert.equal(create.status, 201, created);
    assert.ok(created.includes(`"metadata":${metadata}`), created);
    const { id } = JSON.parse(created) as { id: string };
    await completeJob(product, id);
    const read = await send(product.baseUrl, `GET /api/v1/splits/${id}`, { apiKey });
    assert.ok((await read.text()).includes(`"metadata":${metadata}`));
    assert.ok((await (await follow(product, id)).text()).includes(`"metadata":${metadata}`));
  },
);
