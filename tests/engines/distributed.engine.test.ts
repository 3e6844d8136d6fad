/**
 * The same code as separate, compiled processes on Kafka, Redis, PostgreSQL and S3: a job goes through all of
 * them, survives the death of the splitter that has it, and everything stops cleanly.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import ffmpeg from '@ffmpeg-installer/ffmpeg';
import { type DistributedSystem, startDistributedSystem } from '../../deploy/processes/distributed-system.ts';
import {
  overrideLimits,
  sharedEngines,
  systemEnvironment,
} from '../harness/installation/system-under-test.fixture.ts';

const SAMPLE = resolve(import.meta.dirname, '../../deploy/embedded/samples/tour.mp3');
const LEASE_SECONDS = 6;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked at field by field
  readonly body: any;
}

describe('separate processes on real engines', () => {
  let scratch: string;
  let system: DistributedSystem;
  let sourceUrl: string;
  let key: string;
  const sources = createServer(async (_request, response) => {
    // Slow on purpose: a job is under way for some seconds.
    const sample = await readFile(SAMPLE);
    response.writeHead(200, { 'content-length': sample.length });
    for (let at = 0; at < sample.length; at += 40_000) {
      response.write(sample.subarray(at, at + 40_000));
      await sleep(400);
    }
    response.end();
  });

  before(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'audiosplit-distributed-'));
    const engines = await sharedEngines('distributed');
    await new Promise<void>((ready) => sources.listen(0, '127.0.0.1', ready));
    sourceUrl = `http://127.0.0.1:${(sources.address() as AddressInfo).port}/slow.mp3`;
    system = await startDistributedSystem({
      gateways: 2,
      splitters: 2,
      code: 'compiled',
      directory: scratch,
      ownLogins: true,
      restart: false,
      env: {
        ...systemEnvironment(engines, scratch),
        JOB_LEASE_SECONDS: String(LEASE_SECONDS),
        JOB_REAP_EVERY_SECONDS: '1',
        DRAIN_GRACE_SECONDS: '2',
      },
    });
    const accountId = await openAccount();
    await overrideLimits(system, { accountId, requestsPerMinute: 600 });
  });
  after(async () => {
    await system?.[Symbol.asyncDispose]();
    sources.closeAllConnections();
    sources.close();
    await rm(scratch, { recursive: true, force: true });
  });

  /** Makes an account with a key, which the calls use from then on. */
  const openAccount = async (): Promise<string> => {
    const email = `d${randomBytes(6).toString('hex')}@example.com`;
    const registered = await call(
      0,
      'POST',
      '/api/v1/auth/register',
      {},
      { email, password: 'correct horse battery' },
    );
    assert.equal(registered.status, 201, JSON.stringify(registered.body));
    const authorization = `Bearer ${registered.body.accessToken}`;
    const created = await call(1, 'POST', '/api/v1/api-keys', { authorization }, { name: 'test' });
    assert.equal(created.status, 201, JSON.stringify(created.body));
    key = created.body.key;
    return registered.body.account.id;
  };
  const call = async (
    gateway: number,
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: object,
  ): Promise<Answer> => {
    const response = await fetch(`${system.gatewayUrls[gateway]}${path}`, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
  };
  const read = (gateway: number, jobId: string) =>
    call(gateway, 'GET', `/api/v1/splits/${jobId}`, { 'x-api-key': key });
  const untilStatus = async (
    jobId: string,
    statuses: readonly string[],
    timeoutMs: number,
  ): Promise<Answer> => {
    const deadline = Date.now() + timeoutMs;
    for (let gateway = 0; ; gateway = 1 - gateway) {
      const answer = await read(gateway, jobId);
      if (statuses.includes(answer.body.status)) return answer;
      if (Date.now() > deadline) {
        const said = ['jobs', 'splitter-0', 'splitter-1'].map(
          (name) => `${name}: ${system.process(name).log.tail(20)}`,
        );
        assert.fail(
          [`job ${jobId} is ${JSON.stringify(answer.body)} after ${timeoutMs} ms`, ...said].join('\n'),
        );
      }
      await sleep(500);
    }
  };
  const split = async (url: string) => {
    const created = await call(
      0,
      'POST',
      '/api/v1/splits',
      { 'x-api-key': key },
      { sourceUrl: url, splitMode: 'duration', segmentDuration: 20 },
    );
    assert.equal(created.status, 201, JSON.stringify(created.body));
    return created.body.id as string;
  };

  test('a job whose splitter is killed is finished by another, and its segments play', async () => {
    const jobId = await split(sourceUrl);
    const claimedBy = async () => {
      for (const n of [0, 1]) {
        const scratchOf = spawnSync('ls', [join(scratch, 'scratch', String(n))], { encoding: 'utf8' }).stdout;
        if (scratchOf.includes(jobId)) return n;
      }
      return undefined;
    };
    let victim: number | undefined;
    for (let attempt = 0; attempt < 200 && victim === undefined; attempt++) {
      victim = await claimedBy();
      await sleep(50);
    }
    assert.ok(victim !== undefined, 'a splitter has taken the job');
    system.process(`splitter-${victim}`).signal('SIGKILL');
    const { body } = await untilStatus(jobId, ['completed', 'failed'], 90_000);
    assert.equal(body.status, 'completed', JSON.stringify(body));
    assert.equal(body.sourceDuration, 48);
    assert.deepEqual(
      body.segments.map((segment: { duration: number }) => segment.duration),
      [20, 20, 8],
    );
    for (const segment of body.segments) {
      const response = await fetch(segment.downloadUrl);
      assert.equal(response.status, 200);
      const bytes = Buffer.from(await response.arrayBuffer());
      assert.equal(bytes.length, segment.size);
      // From a file: this build trims an mp3's end only where it can seek.
      const path = join(scratch, `${segment.index}.mp3`);
      await writeFile(path, bytes);
      const decoded = spawnSync(
        ffmpeg.path,
        ['-v', 'error', '-i', path, '-f', 's16le', '-ac', '1', 'pipe:1'],
        {
          maxBuffer: 1 << 28,
        },
      );
      assert.equal(decoded.stderr.toString(), '');
      assert.equal(decoded.stdout.length / 2, segment.duration * 44_100);
    }
  });

  test('the limit is shared: two gateways count one window', async () => {
    await openAccount();
    // The whole burst has to fall into one window.
    if (Date.now() % 60_000 > 50_000) await sleep(60_000 - (Date.now() % 60_000));
    const answers = await Promise.all(Array.from({ length: 24 }, (_, n) => read(n % 2, 'job_none')));
    assert.equal(answers.filter((answer) => answer.status !== 429).length, 10, 'Free: 10 requests a minute');
    const limited = answers.find((answer) => answer.status === 429);
    assert.equal(limited?.body.error.code, 'RATE_LIMITED');
    assert.ok(Number(limited?.headers.get('retry-after')) > 0);
  });

  test('everything stops cleanly', async () => {
    const codes = await system.stop();
    const alive = Object.entries(codes).filter(([name]) => !name.startsWith('splitter'));
    assert.deepEqual(
      alive.filter(([, code]) => code !== 0),
      [],
      JSON.stringify(codes),
    );
    assert.equal(
      Object.entries(codes).filter(([name, code]) => name.startsWith('splitter') && code === 0).length,
      1,
    );
  });
});
