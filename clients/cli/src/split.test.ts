import assert from 'node:assert/strict';
import { mkdtempDisposable, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Progress } from './progress.ts';
import { planSplit, splitAudio } from './split.ts';

/** Far more than the repetitions after any other failure. */
const RATE_LIMITED_ANSWERS = 40;
const JOB = { id: 'job_1', status: 'completed', outputFormat: 'mp3', sourceDuration: 1, segments: [] };

function silentProgress(notes: string[] = []): Progress {
  return {
    say: () => undefined,
    begin: () => undefined,
    advance: () => undefined,
    note: (text) => notes.push(text),
    tick: () => undefined,
    [Symbol.dispose]: () => undefined,
  };
}

test('a full rate limit is waited out, however often it is full', async (context) => {
  const answers = new Map([
    ['POST /api/v1/splits', () => Response.json(JOB, { status: 202 })],
    ['GET /api/v1/splits/job_1/events', () => new Response(null, { status: 204 })],
    ['GET /api/v1/splits/job_1', () => Response.json(JOB)],
  ]);
  const limitedLeft = new Map([
    ['POST /api/v1/splits', RATE_LIMITED_ANSWERS],
    ['GET /api/v1/splits/job_1', RATE_LIMITED_ANSWERS],
  ]);
  context.mock.method(globalThis, 'fetch', async (url: string, { method }: { readonly method: string }) => {
    const endpoint = `${method} ${new URL(url).pathname}`;
    const left = limitedLeft.get(endpoint) ?? 0;
    limitedLeft.set(endpoint, left - 1);
    if (left > 0) return new Response('', { status: 429, headers: { 'Retry-After': '0' } });
    return answers.get(endpoint)?.() ?? Response.error();
  });
  const notes: string[] = [];
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-split-'));

  const url = 'https://example.com/a.mp3';
  const manifest = await splitAudio(
    { source: { kind: 'url', url }, outDir: folder.path },
    { splitMode: 'duration', segmentDuration: 60, outputFormat: 'mp3' },
    url,
    {
      server: { baseUrl: 'http://api.example.com', apiKey: 'key' },
      progress: silentProgress(notes),
      signal: new AbortController().signal,
    },
  );

  assert.equal(notes.length, 2 * RATE_LIMITED_ANSWERS);
  assert.equal(manifest.source, url);
  assert.deepEqual(await readdir(folder.path), ['manifest.json']);
});

test('a dry run is asked for and read, and no link is followed', async (context) => {
  const segment = { index: 0, startTime: 0, endTime: 1, duration: 1, fileName: 'a-0.mp3', size: 8_000 };
  const job = { ...JOB, segments: [segment] };
  const requests: string[] = [];
  let sent: unknown;
  context.mock.method(globalThis, 'fetch', async (url: string, { method, body }: RequestInit) => {
    requests.push(`${method} ${new URL(url).pathname}`);
    if (method === 'POST') sent = JSON.parse(String(body));
    const isStream = url.endsWith('/events');
    return isStream ? new Response(null, { status: 204 }) : Response.json(job);
  });
  const settings = { splitMode: 'silence', dryRun: true } as const;
  const planned = await planSplit(settings, 'https://example.com/a.mp3', {
    server: { baseUrl: 'http://api.example.com', apiKey: 'key' },
    progress: silentProgress(),
    signal: new AbortController().signal,
  });
  assert.deepEqual(sent, { sourceUrl: 'https://example.com/a.mp3', ...settings });
  assert.deepEqual(planned.segments, [segment]);
  assert.ok(requests.every((request) => request.includes(' /api/v1/splits')), String(requests));
});
