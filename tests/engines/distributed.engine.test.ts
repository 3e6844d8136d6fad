/**
 * The same code as separate, compiled processes on Kafka, Redis, PostgreSQL and S3: a job goes through all of
 * them, survives the death of the splitter that has it, and everything stops cleanly.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import ffmpeg from '@ffmpeg-installer/ffmpeg';
import type { Account } from '../harness/accounts/open-account.ts';
import { type Answer, raw } from '../harness/accounts/raw.ts';
import type { ProcessesInstallation } from '../harness/installation/processes.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';
import { startSources } from '../harness/servers/sources.ts';

const LEASE_SECONDS = 6;
/** A job is in progress for some seconds. */
const PACE_MS = 4_000;

describe('separate processes on real engines', () => {
  const resources = new AsyncDisposableStack();
  let installation: ProcessesInstallation;
  let sourceUrl: string;
  let account: Account;

  before(async () => {
    const sources = resources.use(await startSources());
    sourceUrl = sources.url('tour.mp3', { paceMs: PACE_MS });
    installation = resources.use(
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
    account = await installation.openAccount({ limits: { requestsPerMinute: 600 } });
  });
  after(() => resources.disposeAsync());

  const read = (gateway: number, jobId: string, { apiKey } = account) =>
    raw(installation.gatewayUrls[gateway] ?? '', `GET /api/v1/splits/${jobId}`, { apiKey });
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
          (name) => `${name}: ${installation.processes.log(name).tail(20)}`,
        );
        assert.fail(
          [`job ${jobId} is ${JSON.stringify(answer.body)} after ${timeoutMs} ms`, ...said].join('\n'),
        );
      }
      await sleep(500);
    }
  };
  test('a job whose splitter is killed is finished by another, and its segments play', async () => {
    const { id: jobId } = await account.client.createSplit({
      sourceUrl,
      splitMode: 'duration',
      segmentDuration: 20,
    });
    const claimedBy = async () => {
      for (const n of [0, 1]) {
        const scratchOf = spawnSync('ls', [join(installation.dataDir, 'scratch', String(n))], {
          encoding: 'utf8',
        }).stdout;
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
    await installation.processes.kill(`splitter-${victim}`);
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
      const path = join(installation.dataDir, `${segment.index}.mp3`);
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
    const free = await installation.openAccount();
    // The whole burst has to fall into one window.
    if (Date.now() % 60_000 > 50_000) await sleep(60_000 - (Date.now() % 60_000));
    const answers = await Promise.all(Array.from({ length: 24 }, (_, n) => read(n % 2, 'job_none', free)));
    assert.equal(answers.filter((answer) => answer.status !== 429).length, 10, 'Free: 10 requests a minute');
    const limited = answers.find((answer) => answer.status === 429);
    assert.equal(limited?.body.error.code, 'RATE_LIMITED');
    assert.ok(Number(limited?.headers.get('retry-after')) > 0);
  });

  test('everything stops cleanly', async () => {
    const codes = await installation.stop();
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
