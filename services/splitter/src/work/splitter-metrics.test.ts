import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createPrometheus } from '@audiosplit/chassis/observability/prometheus';
import { silentLogger } from '@audiosplit/chassis/process/log';
import { METRICS } from '../metrics.ts';
import { UNCONFINED } from '../sandbox/sandbox.ts';
import { openScratch } from './scratch.ts';
import { exposeSplitter } from './splitter-metrics.ts';

const MIB = 1024 ** 2;
const LIMIT_BYTES = 64 * MIB;
/** Folders and the ends of files take blocks too. */
const SLACK_BYTES = MIB / 4;

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audiosplit-metrics-'));
});
after(() => rm(folder, { recursive: true }));

async function scrape(scratchDir: string, scratchLimitBytes?: number): Promise<string> {
  using prometheus = createPrometheus({ processes: ['splitter'], metrics: METRICS, log: silentLogger() });
  const worker = { busySlots: () => 0 };
  using _ = exposeSplitter({ worker, slots: 1, scratchDir, scratchLimitBytes, sandbox: UNCONFINED });
  return await prometheus.scrape();
}

async function freeBytes(scratchDir: string, scratchLimitBytes?: number): Promise<number> {
  const page = await scrape(scratchDir, scratchLimitBytes);
  const [, value] = /^audiosplit_splitter_scratch_free_bytes (\S+)$/m.exec(page) ?? [];
  return Number(value);
}

function assertAbout(actualBytes: number, expectedBytes: number): void {
  const isNear = actualBytes <= expectedBytes && actualBytes > expectedBytes - SLACK_BYTES;
  assert.ok(isNear, `${actualBytes} is about ${expectedBytes}`);
}

test('below a limit, what running jobs have written is taken from it', async () => {
  const scratchDir = join(folder, 'limited');
  assert.equal(await freeBytes(scratchDir, LIMIT_BYTES), LIMIT_BYTES, 'before the first job');
  {
    await using scratch = await openScratch(scratchDir, 'job-1');
    await writeFile(join(scratch.path, 'source'), Buffer.alloc(8 * MIB, 1));
    await mkdir(join(scratch.path, '.work'));
    await writeFile(join(scratch.path, '.work', 'pcm'), Buffer.alloc(4 * MIB, 1));
    await using other = await openScratch(scratchDir, 'job-2');
    await writeFile(join(other.path, 'segment'), Buffer.alloc(2 * MIB, 1));
    assertAbout(await freeBytes(scratchDir, LIMIT_BYTES), LIMIT_BYTES - 14 * MIB);
    assert.equal(await freeBytes(scratchDir, 8 * MIB), 0, 'above it there is none left');
  }
  assertAbout(await freeBytes(scratchDir, LIMIT_BYTES), LIMIT_BYTES);
});

test('files that come and go while they are counted cost no scrape', async () => {
  const scratchDir = join(folder, 'busy');
  let isOver = false;
  const churn = async (jobId: string) => {
    while (!isOver) {
      await using scratch = await openScratch(scratchDir, jobId);
      await Promise.all(
        Array.from({ length: 8 }, (_, n) => writeFile(join(scratch.path, `${n}`), 'segment')),
      );
    }
  };
  const jobs = ['job-1', 'job-2', 'job-3'].map(churn);
  const read: number[] = [];
  for (let scrape = 0; scrape < 50; scrape++) read.push(await freeBytes(scratchDir, LIMIT_BYTES));
  isOver = true;
  await Promise.all(jobs);
  for (const bytes of read) assertAbout(bytes, LIMIT_BYTES);
});

test('without a limit, and below a generous one, the file system decides', async () => {
  const { bavail, bsize, blocks } = await statfs(folder);
  const read = [await freeBytes(folder), await freeBytes(join(folder, 'not', 'yet'), blocks * bsize * 2)];
  // Others write to it meanwhile.
  for (const bytes of read) assert.ok(Math.abs(bytes - bavail * bsize) < 0.05 * blocks * bsize, `${bytes}`);
});

test('of the levels of the sandbox, the one that holds is 1', async () => {
  const page = await scrape(folder);
  for (const [level, value] of [
    ['full', 0],
    ['partial', 0],
    ['none', 1],
  ] as const) {
    assert.ok(page.includes(`audiosplit_decoder_sandbox{level="${level}"} ${value}\n`), level);
  }
});
