/** Events of a job, and its segments in one archive. */
import assert from 'node:assert/strict';
import { AudiosplitError } from '@audiosplit/client';
import type { Product } from '../harness/installation/as-a-user/product.ts';
import {
  assertRateLimitHeaders,
  assertRefuses,
  completeJob,
  connect,
  createJob,
  registerWithKey,
  sampleBy,
  sampleUrl,
} from './api.ts';
import { uploadNoise } from './audio.ts';
import { scenario, sharedProduct } from './scenario.ts';

const product = sharedProduct();

interface JobEvent {
  readonly id: number;
  readonly event: string;
  readonly data: string;
}

function follow({ baseUrl, apiKey }: Product, jobId: string, lastEventId?: string): Promise<Response> {
  return fetch(`${baseUrl}/api/v1/splits/${jobId}/events`, {
    headers: {
      'x-api-key': apiKey,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
  });
}

/** Of a stream that has ended. */
function parseEvents(stream: string): JobEvent[] {
  const events = stream.matchAll(/^id: (\d+)\nevent: (\w+)\ndata: (.+)\n\n/gm);
  return Array.from(events, ([, id = '', event = '', data = '']) => ({ id: Number(id), event, data }));
}

// Covers D-2.49 D-2.50
scenario(
  'a job is followed from its beginning to its end, and no event comes twice',
  { timeoutMs: 180_000 },
  async () => {
    const running = await product();
    const sourceUrl = await uploadNoise(running, 300);
    const { id } = await createJob(running, {
      sourceUrl,
      splitMode: 'duration',
      segmentDuration: 60,
      outputFormat: 'mp3',
      metadata: { episode: 7 },
    });
    const response = await follow(running, id);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
    assertRateLimitHeaders(response);
    const stream = await response.text();
    assert.match(stream, /^retry: \d+\n/);
    const events = parseEvents(stream);
    const ids = events.map((event) => event.id);
    assert.deepEqual(
      ids,
      [...new Set(ids)].sort((a, b) => a - b),
      stream,
    );
    const end = events.pop();
    for (const { id: per, event, data } of events) {
      assert.equal(event, 'progress');
      assert.deepEqual(JSON.parse(data), { progress: per });
    }
    assert.equal(end?.event, 'completed');
    const { segmentCount, metadata, segments, error, ...row } = JSON.parse(end.data);
    assert.deepEqual({ segmentCount, metadata }, { segmentCount: 5, metadata: { episode: 7 } });
    assert.deepEqual([row.id, row.status, segments, error], [id, 'completed', undefined, undefined]);

    const late = parseEvents(await (await follow(running, id)).text());
    assert.deepEqual(late, [end], 'a late follower gets the end at once');
    assert.equal((await follow(running, id, String(end.id))).status, 204);
  },
);

scenario('a canceled job ends its stream with the reason', {}, async () => {
  const running = await product();
  const { apiKey } = running;
  const { id } = await createJob(running, sampleBy(running, 10));
  const stream = follow(running, id);
  // The job may have ended before the cancel.
  const canceled = await connect(running, { apiKey })
    .cancelSplit(id)
    .catch((error: unknown) => assertRefuses(Promise.reject(error), 409, 'JOB_ALREADY_FINISHED'));
  const isCanceled = !(canceled instanceof AudiosplitError);
  const [end] = parseEvents(await (await stream).text()).slice(-1);
  assert.equal(end?.event, isCanceled ? 'failed' : 'completed');
  assert.equal(JSON.parse(end.data).error?.code, isCanceled ? 'CANCELED' : undefined);
});

// Covers D-2.51
scenario('all segments come as one archive, whose length is known beforehand', {}, async () => {
  const running = await product();
  const { baseUrl, apiKey } = running;
  const { id } = await createJob(running, sampleBy(running, 10));
  const { segments } = await completeJob(running, id);
  const url = `${baseUrl}/api/v1/splits/${id}/archive`;
  const head = await fetch(url, { method: 'HEAD', headers: { 'x-api-key': apiKey } });
  const response = await fetch(url, { headers: { 'x-api-key': apiKey } });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'application/zip');
  assert.match(response.headers.get('content-disposition') ?? '', /^attachment; filename="?tour\.zip"?/);
  const zip = Buffer.from(await response.arrayBuffer());
  for (const { headers } of [head, response]) assert.equal(headers.get('content-length'), String(zip.length));
  assert.ok(segments.length > 1);
  for (const { index, downloadUrl } of segments) {
    const bytes = Buffer.from(await (await fetch(downloadUrl)).arrayBuffer());
    const name = `tour-${index}.mp3`;
    const start = zip.indexOf(name) + name.length;
    assert.ok(zip.subarray(start, start + bytes.length).equals(bytes), `${name} is stored as it is`);
  }
});

scenario("events and archives of another account's jobs do not exist", {}, async () => {
  const running = await product();
  const { apiKey } = await registerWithKey(running);
  const { id } = await createJob(running, sampleBy(running, 30));
  const stranger = connect(running, { apiKey });
  await assertRefuses(stranger.followJob(id).next(), 404, 'JOB_NOT_FOUND');
  await assertRefuses(stranger.downloadArchive(id), 404, 'JOB_NOT_FOUND');
  await completeJob(running, id);
});

// Covers I-2.2.9
scenario(
  'metadata comes back to the letter, also where JavaScript would change it',
  { covers: ['POST /api/v1/splits', 'GET /api/v1/splits/:jobId'] },
  async () => {
    const running = await product();
    const { baseUrl, apiKey } = running;
    const metadata = '{"id":12345678901234567890,"large":1e400,"same":1.0,"same":-0,"pair":"\\ud83d\\ude00"}';
    const sourceUrl = sampleUrl(running);
    const create = await fetch(`${baseUrl}/api/v1/splits`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: `{"sourceUrl":"${sourceUrl}","splitMode":"duration","segmentDuration":30,"metadata":${metadata}}`,
    });
    const created = await create.text();
    assert.equal(create.status, 201, created);
    assert.ok(created.includes(`"metadata":${metadata}`), created);
    const { id } = JSON.parse(created) as { id: string };
    await completeJob(running, id);
    const read = await fetch(`${baseUrl}/api/v1/splits/${id}`, { headers: { 'x-api-key': apiKey } });
    assert.ok((await read.text()).includes(`"metadata":${metadata}`));
    assert.ok((await (await follow(running, id)).text()).includes(`"metadata":${metadata}`));
  },
);
