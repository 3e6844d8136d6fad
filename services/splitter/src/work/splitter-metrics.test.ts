import assert from 'node:assert/strict';
import { mkdtempDisposable, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createPrometheus } from '@audiosplit/chassis/observability/prometheus';
import { silentLogger } from '@audiosplit/chassis/process/log';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { UNCONFINED } from '@audiosplit/engine/sandbox/sandbox';
import { METRICS } from '../metrics.ts';
import { createScratchBudget } from './scratch-budget.ts';
import { createAccountPlaces } from './shares/account-places.ts';
import { createShares } from './shares/shares.ts';
import { exposeSplitter } from './splitter-metrics.ts';

const LIMIT_BYTES = 64 * 1024 ** 2;

const folder = forSuite(() => mkdtempDisposable(join(tmpdir(), 'audiosplit-metrics-')));

async function scrape(
  scratchDir: string,
  scratchBudget = createScratchBudget({ limitBytes: 1 }),
): Promise<string> {
  using prometheus = createPrometheus({ processes: ['splitter'], metrics: METRICS, log: silentLogger() });
  const shares = createShares({ slots: 1, fetches: 2, onRoom() {}, onSetAside() {}, onPassOn() {} });
  using _ = exposeSplitter({
    shares,
    slots: 1,
    fetches: 2,
    transfers: createAccountPlaces({ limit: 16 }),
    scratchDir,
    scratchBudget,
    sandbox: UNCONFINED,
  });
  return await prometheus.scrape();
}

function sampleOf(page: string, name: string): number {
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(page)?.[1]);
}

test('the scratch space reserved by jobs is shown, and the number of waiting jobs', async () => {
  const budget = createScratchBudget({ limitBytes: LIMIT_BYTES });
  const { signal } = new AbortController();
  const first = await budget.reserve({ accountId: 'acc_1', bytes: LIMIT_BYTES / 2 }, signal);
  const second = budget.reserve({ accountId: 'acc_1', bytes: 1 }, AbortSignal.timeout(60_000));
  const page = await scrape(folder.path, budget);
  assert.equal(sampleOf(page, 'audiosplit_splitter_scratch_limit_bytes'), LIMIT_BYTES);
  assert.equal(sampleOf(page, 'audiosplit_splitter_scratch_reserved_bytes'), LIMIT_BYTES / 2);
  assert.equal(sampleOf(page, 'audiosplit_splitter_scratch_waiting'), 1);
  first[Symbol.dispose]();
  (await second)[Symbol.dispose]();
});

test('the free space of the file system is shown, also before the first job', async () => {
  const { bavail, bsize, blocks } = await statfs(folder.path);
  for (const dir of [folder.path, join(folder.path, 'not', 'yet')]) {
    const bytes = sampleOf(await scrape(dir), 'audiosplit_splitter_scratch_free_bytes');
    // Other processes write to it meanwhile.
    assert.ok(Math.abs(bytes - bavail * bsize) < 0.05 * blocks * bsize, `${bytes}`);
  }
});

test('the active level of the sandbox is 1, the others are 0', async () => {
  const page = await scrape(folder.path);
  for (const [level, value] of [
    ['full', 0],
    ['partial', 0],
    ['none', 1],
  ] as const) {
    assert.ok(page.includes(`audiosplit_decoder_sandbox{level="${level}"} ${value}\n`), level);
  }
});
