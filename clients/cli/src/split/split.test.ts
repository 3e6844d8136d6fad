import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempDisposable, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Progress } from '../progress/progress.ts';
import { splitAudio, splitWithoutFiles } from './split.ts';

/** Far more than the retries after any other failure. */
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

test('a full rate limit is waited for, any number of times', async (context) => {
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
      sourceHeaders: undefined,
      progress: silentProgress(notes),
      signal: new AbortController().signal,
    },
  );

  assert.equal(notes.length, 2 * RATE_LIMITED_ANSWERS);
  assert.equal(manifest.source, url);
  assert.deepEqual(await readdir(folder.path), ['manifest.json']);
});

test('a dry run is requested and read, and no link is followed', async (context) => {
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
  const planned = await splitWithoutFiles(settings, 'https://example.com/a.mp3', {
    server: { baseUrl: 'http://api.example.com', apiKey: 'key' },
    sourceHeaders: { Authorization: 'Bearer my-token' },
    progress: silentProgress(),
    signal: new AbortController().signal,
  });
  assert.deepEqual(sent, {
    sourceUrl: 'https://example.com/a.mp3',
    sourceHeaders: { Authorization: 'Bearer my-token' },
    ...settings,
  });
  assert.deepEqual(planned.segments, [segment]);
  assert.ok(
    requests.every((request) => request.includes(' /api/v1/splits')),
    String(requests),
  );
});

test("the manifest contains the job's data of each segment, beside its file name", async (context) => {
  const bytes = 'as if it were sound';
  const fields = {
    startTime: 8,
    contentStart: 10,
    endTime: 20,
    duration: 12,
    cut: 'silence',
    title: 'Welcome',
  };
  const segment = {
    index: 0,
    ...fields,
    downloadUrl: 'http://api.example.com/downloads/0.mp3',
    fileName: '1 Welcome.mp3',
    size: bytes.length,
    expiresAt: '2027-03-15T09:30:00.000Z',
  };
  const loudness = { measured: -20.7, gain: 4.7, truePeak: -5.9 };
  context.mock.method(globalThis, 'fetch', async (url: string) => {
    if (url.includes('/downloads/')) return new Response(bytes);
    const isStream = url.endsWith('/events');
    return isStream
      ? new Response(null, { status: 204 })
      : Response.json({ ...JOB, loudness, segments: [segment] });
  });
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-split-'));
  const url = 'https://example.com/a.mp3';
  const settings = { splitMode: 'chapters', encoding: { loudness: { target: -16 } } } as const;
  await splitAudio({ source: { kind: 'url', url }, outDir: folder.path }, settings, url, {
    server: { baseUrl: 'http://api.example.com', apiKey: 'key' },
    sourceHeaders: { Authorization: 'Bearer my-token' },
    progress: silentProgress(),
    signal: new AbortController().signal,
  });
  const written = await readFile(join(folder.path, 'manifest.json'), 'utf8');
  assert.doesNotMatch(written, /my-token/);
  const manifest = JSON.parse(written);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  assert.deepEqual(manifest, {
    source: url,
    request: settings,
    outputFormat: 'mp3',
    sourceDuration: 1,
    loudness,
    segments: [{ index: 0, file: '1 Welcome.mp3', ...fields, size: bytes.length, sha256 }],
  });
  assert.equal(await readFile(join(folder.path, '1 Welcome.mp3'), 'utf8'), bytes);
});
