/**
 * Tests the same code as separate, compiled processes on Kafka, Redis, PostgreSQL and S3: a job passes
 * through all of them, survives the death of the splitter that runs it, and everything stops cleanly.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@audiosplit/chassis/testing/until';
import ffmpeg from '@ffmpeg-installer/ffmpeg';
import { type Answer, raw } from '../harness/accounts/raw.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';
import { startSources } from '../harness/servers/sources.ts';
import { stackOfFile } from '../harness/stack-of-file.ts';

const LEASE_SECONDS = 6;
/** A job is in progress for some seconds. */
const PACE_MS = 4_000;

const resources = stackOfFile();
const sources = resources.use(await startSources());
const sourceUrl = sources.url('tour.mp3', { paceMs: PACE_MS });
const installation = resources.use(
  await startInstallation({
    kind: 'processes',
    name: 'distributed',
    replicas: { gateway: 2, splitter: 2 },
    code: 'compiled',
    env: {
      JOB_LEASE_SECONDS: String(LEASE_SECONDS),
      JOB_REAP_EVERY_SECONDS: '1',
      DRAIN_GRACE_SECONDS: '2',
    },
  }),
);
const account = await installation.openAccount({ limits: { requestsPerMinute: 600 } });

describe('separate processes on real engines', () => {
  const read = (gateway: number, jobId: string, { apiKey } = account) =>
    raw(installation.gatewayUrls[gateway] ?? '', `GET /api/v1/splits/${jobId}`, { apiKey });
  /** Polls the gateways in turn. */
  const untilEnded = async (jobId: string): Promise<Answer['body']> => {
    let gateway = 0;
    let job: Answer['body'];
    const hasEnded = async () => {
      gateway = 1 - gateway;
      job = (await read(gateway, jobId)).body;
      if (['completed', 'failed'].includes(job.status)) return true;
      await sleep(500);
      return false;
    };
    await until(hasEnded, 'the end of the job', 90_000).catch((error: unknown) => {
      for (const name of ['jobs', 'splitter-0', 'splitter-1'])
        process.stderr.write(`${name}: ${installation.processes.log(name).tail(20)}\n`);
      throw error;
    });
    return job;
  };

  test('a job whose splitter is killed is finished by another, and its segments play', async () => {
    const cut = { splitMode: 'duration', segmentDuration: 20 } as const;
    const { id: jobId } = await account.client.createSplit({ sourceUrl, ...cut });
    const scratchDir = join(installation.dataDir, 'scratch');
    const claimed = () => globSync(`[01]/*${jobId}*`, { cwd: scratchDir })[0];
    await until(() => claimed() !== undefined, 'a splitter has taken the job');
    await installation.processes.kill(`splitter-${claimed()?.[0]}`);
    const body = await untilEnded(jobId);
    assert.equal(body.status, 'completed', JSON.stringify(body));
    assert.equal(body.sourceDuration, 48);
    assert.equal(body.segments.map(({ duration }: { duration: number }) => duration).join(), '20,20,8');
    for (const segment of body.segments) {
      const response = await fetch(segment.downloadUrl);
      assert.equal(response.status, 200);
      const bytes = await response.bytes();
      assert.equal(bytes.length, segment.size);
      // From a file: this build trims an mp3's end only if it can seek.
      const path = join(installation.dataDir, `${segment.index}.mp3`);
      await writeFile(path, bytes);
      const args = ['-v', 'error', '-i', path, '-f', 's16le', '-ac', '1', 'pipe:1'];
      const decoded = spawnSync(ffmpeg.path, args, { maxBuffer: 1 << 28 });
      assert.equal(decoded.stderr.toString(), '');
      assert.equal(decoded.stdout.length / 2, segment.duration * 44_100);
    }
  });

  test('two gateways share one window of the rate limit', async () => {
    const free = await installation.openAccount();
    // The whole burst must fall into one window.
    if (Date.now() % 60_000 > 50_000) await sleep(60_000 - (Date.now() % 60_000));
    const answers = await Promise.all(Array.from({ length: 24 }, (_, n) => read(n % 2, 'job_none', free)));
    assert.equal(answers.filter((answer) => answer.status !== 429).length, 10, 'Free: 10 requests a minute');
    const limited = answers.find((answer) => answer.status === 429);
    assert.equal(limited?.body.error.code, 'RATE_LIMITED');
    assert.ok(Number(limited?.headers.get('retry-after')) > 0);
  });

  test('everything stops cleanly', async () => {
    const codes = await installation.stop();
    const notClean = Object.entries(codes).filter(([, code]) => code !== 0);
    // The splitter that was killed.
    assert.equal(notClean.length, 1, JSON.stringify(codes));
    assert.match(notClean[0]?.[0] ?? '', /^splitter-/);
  });
});
