import assert from 'node:assert/strict';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../tests/harness/temporary-folder.ts';
import { MEASURE_NAMES } from '../analysis/resource-measures.ts';
import type { ProcessSeries } from '../analysis/resources.ts';
import type { RequestSample } from '../analysis/samples.ts';
import { soak } from '../profiles/ordinary.ts';
import { makeResults, type Results } from '../runner/results.ts';
import { dashboardFile, writeReport } from './report-files.ts';

const START_MS = Date.parse('2026-11-21T12:00:00Z');
const SECONDS = soak.defaultMinutes * 60;
/** A report of two hours is no larger than one of four minutes. */
const MOST_BYTES = 200_000;

/** Each scenario once a second, with latencies of as many digits as k6 writes. */
function soakResults(): Results {
  const { defaultMinutes: minutes, callers: limits } = soak;
  const settings = { minutes, scale: 1, floodTimes: 5, withRpc: true, limits };
  const { scenarios, thresholds } = soak.build(settings);
  const names = Object.keys(scenarios);
  const requests = Array.from(
    { length: SECONDS * names.length },
    (_, n): RequestSample => ({
      atMs: START_MS + Math.floor(n / names.length) * 1_000,
      durationMs: 10 + Math.sin(n),
      scenario: names[n % names.length] ?? '',
      status: 200,
      isExpected: true,
      window: undefined,
    }),
  );
  return makeResults({
    profile: soak,
    settings,
    facts: {
      command: 'npm run load -- soak',
      startedAt: new Date(START_MS),
      seconds: SECONDS,
      target: 'an installation of its own',
      k6: '1.8.1',
      cores: 2,
    },
    samples: { requests, answers: [], checks: new Map(), jobSeconds: [1.5], droppedIterations: 0 },
    summary: {
      metrics: Object.fromEntries(
        Object.entries(thresholds).map(([metric, bounds]) => [
          metric,
          { thresholds: Object.fromEntries(bounds.map((bound) => [bound, { ok: true }])) },
        ]),
      ),
    },
    gateways: undefined,
    resources: soakResources(),
  });
}

/** Nine processes and six folders, sampled every 15 s. */
function soakResources(): ProcessSeries[] {
  return Array.from({ length: 15 }, (_, process) => ({
    name: `process-${process}`,
    missed: 0,
    samples: Array.from({ length: SECONDS / 15 }, (_, n) => ({
      atMs: START_MS + n * 15_000,
      startedAtSeconds: START_MS / 1_000,
      majorCollections: n,
      values: Object.fromEntries(
        MEASURE_NAMES.filter((name) => (name === 'disk') === process >= 9).map((name) => [
          name,
          123.456 + Math.sin(n),
        ]),
      ),
    })),
  }));
}

test('a report is a page that leads to its plots and its figures, all beside one another', async () => {
  await using folder = await temporaryFolder();
  const results = soakResults();
  const file = join(folder.path, 'soak');
  await writeFile(dashboardFile(file), '<h1>k6 report</h1>');
  assert.deepEqual(writeReport(results, file), [`${file}.md`, `${file}.html`, `${file}.json`]);
  const page = await readFile(`${file}.md`, 'utf8');
  assert.match(page, /^# soak: 120 min, the profile's full length\n\n/);
  assert.match(page, /full length: everything held/);
  const linked = [...page.matchAll(/\]\(([^)]+)\)/g)].map(([, file]) => file);
  assert.deepEqual([...linked, 'soak.md'].toSorted(), (await readdir(folder.path)).toSorted());
  const { thresholds } = JSON.parse(await readFile(`${file}.json`, 'utf8')) as Results;
  assert.deepEqual(thresholds, results.thresholds);
});

test('hours of load leave files of a size that can be read', async () => {
  await using folder = await temporaryFolder();
  for (const path of writeReport(soakResults(), join(folder.path, 'soak'))) {
    const { size } = await stat(path);
    assert.ok(size < MOST_BYTES, `${path}: ${size} bytes`);
  }
});
