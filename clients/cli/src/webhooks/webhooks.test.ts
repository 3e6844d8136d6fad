import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Audiosplit, AudiosplitError, type Job } from '@audiosplit/client';
import { Webhook } from 'standardwebhooks';
import { followJobs } from './job-changes.ts';
import { eventsOf } from './job-events.ts';
import { signatureHeaders } from './signature.ts';

type Status = Job['status'];

/** Returns the changes that each poll of a list of jobs reports. */
async function follow(polls: readonly Record<string, Status>[], offPage: Record<string, Status> = {}) {
  const ended = new AbortController();
  let poll = -1;
  const read: string[] = [];
  const client = {
    async listSplits() {
      poll += 1;
      return { data: Object.entries(polls[poll] ?? {}).map(([id, status]) => ({ id, status })) };
    },
    async getSplit(id: string) {
      read.push(id);
      if (id === 'deleted') throw notFound();
      return { id, status: offPage[id] };
    },
  } as unknown as Audiosplit;
  const pause = async () => {
    if (poll === polls.length - 1) ended.abort(new Error('that is all'));
    ended.signal.throwIfAborted();
  };
  const changes: string[] = [];
  const following = async () => {
    const jobs = followJobs(client, { signal: ended.signal, pause, nowMs: () => 0 });
    for await (const { id, before } of jobs) changes.push(`${id} after ${before}`);
  };
  await assert.rejects(following, /that is all/);
  return { changes, read };
}

test('jobs that ended before are omitted, and every later change is reported once', async () => {
  const { changes } = await follow([
    { old: 'completed', running: 'processing' },
    { fast: 'completed', fresh: 'queued', old: 'completed', running: 'processing' },
    { fast: 'completed', fresh: 'processing', old: 'completed', running: 'failed' },
  ]);
  assert.deepEqual(changes, ['fast after undefined', 'running after processing', 'fresh after queued']);
});

test('a poll reads one page, and at most 20 open jobs that are no longer on it', async () => {
  const open = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`job_${n}`, 'processing' as const]));
  const { changes, read } = await follow([open, {}], { job_0: 'completed' });
  assert.equal(read.length, 20);
  assert.ok(changes.includes('job_0 after processing'));
});

test('a job that was deleted between two polls is skipped', async () => {
  const { changes, read } = await follow([{ deleted: 'processing', other: 'queued' }, { other: 'failed' }]);
  assert.deepEqual(read, ['deleted']);
  assert.deepEqual(changes, ['other after queued']);
});

function notFound(): AudiosplitError {
  const response = { status: 404, headers: new Headers(), requestId: undefined, rateLimit: undefined };
  return new AudiosplitError(
    { code: 'JOB_NOT_FOUND', message: 'No.' },
    { ...response, isReplay: false, host: 'api' },
  );
}

const JOB = {
  id: 'job_1',
  status: 'completed',
  sourceUrl: 'https://example.com/secret?token=1',
  splitMode: 'parts',
  parts: 2,
  outputFormat: 'mp3',
  segments: [{ downloadUrl: 'a secret' }, {}],
  createdAt: 'then',
  completedAt: 'now',
  metadata: { episode: 7 },
} as unknown as Job;

test('an event has the fields of a webhook, but no links or sources', () => {
  const [event] = eventsOf(JOB, 'processing', 0);
  assert.deepEqual(event, {
    type: 'split.completed',
    timestamp: '1970-01-01T00:00:00.000Z',
    data: {
      id: 'job_1',
      status: 'completed',
      splitMode: 'parts',
      parts: 2,
      outputFormat: 'mp3',
      segmentCount: 2,
      createdAt: 'then',
      completedAt: 'now',
      metadata: { episode: 7 },
    },
  });
});

test('a job that completed between two polls is also reported as started', () => {
  const events = eventsOf(JOB, 'queued', 0);
  assert.deepEqual(
    events.map(({ type, data }) => [type, 'segmentCount' in data && data.segmentCount]),
    [
      ['split.processing', null],
      ['split.completed', 2],
    ],
  );
  const failed = { ...JOB, status: 'failed' } as Job;
  assert.equal(eventsOf(failed, 'queued', 0).length, 1);
});

test('the Standard Webhooks library accepts the signature', () => {
  const secret = `whsec_${Buffer.from('a key of some length').toString('base64')}`;
  const body = '{"type":"split.completed"}';
  const headers = signatureHeaders(secret, { id: 'msg_1', atMs: Date.now(), body });
  assert.deepEqual(new Webhook(secret).verify(body, headers), { type: 'split.completed' });
});
