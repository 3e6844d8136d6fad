import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ProcessSeries } from '../analysis/resources.ts';
import { collectSamples } from '../analysis/samples.ts';
import { limiter } from '../profiles/limiter.ts';
import { noisyNeighbour } from '../profiles/noisy-neighbour.ts';
import { smoke, soak } from '../profiles/ordinary.ts';
import type { Profile } from '../profiles/profile.ts';
import { makeResults, type Results } from '../runner/results.ts';
import { renderVerdict } from './verdict.ts';

const START_MS = Date.parse('2026-11-21T12:00:00Z');

function point(metric: string, second: number, value: number, tags: Record<string, string>): string {
  const time = new Date(START_MS + second * 1_000).toISOString();
  return JSON.stringify({ metric, type: 'Point', data: { time, value, tags } });
}

function resultsOf(
  profile: Profile,
  lines: readonly string[],
  changes: { readonly ok?: boolean; readonly resources?: readonly ProcessSeries[] } = {},
): Results {
  const samples = collectSamples();
  for (const line of lines) samples.add(line);
  return makeResults({
    profile,
    settings: { minutes: 1, scale: 1, floodTimes: 5, withRpc: false, limits: { caller: 2 } },
    facts: {
      command: `npm run load -- ${profile.name}`,
      startedAt: new Date(START_MS),
      seconds: 61.2,
      target: 'https://api.example.com/?a=1&b="<2>"',
      k6: '2.3.0',
      cores: 2,
    },
    samples,
    summary: {
      metrics: { checks: { thresholds: { 'rate==1': { ok: changes.ok ?? true } } }, http_reqs: {} },
    },
    gateways: [
      { name: 'gateway-0', passed: 2, refused: 3, timesAlone: 0 },
      { name: 'gateway-1', passed: 1, refused: 4, timesAlone: 1 },
    ],
    resources: changes.resources,
  });
}

const SMOKE_LINES = [
  point('http_req_duration', -5, 900, { status: '201' }),
  point('http_req_duration', 1, 12, { scenario: 'read', status: '200' }),
  point('http_req_duration', 2, 14, { scenario: 'read', status: '500', expected_response: 'false' }),
  point('checks', 2, 0, { scenario: 'read', check: 'a job is read' }),
  point('job_seconds', 2, 1.5, { scenario: 'create' }),
];

function growing(descriptorsEach: number): ProcessSeries[] {
  const samples = Array.from({ length: 40 }, (_, n) => ({
    atMs: START_MS + n * 15_000,
    startedAtSeconds: 1,
    majorCollections: n,
    values: { resident: 100, descriptors: 30 + n * descriptorsEach },
  }));
  return [{ name: 'jobs', missed: 0, samples }];
}

function limiterLines(full: readonly string[]): string[] {
  const windows = [['passed'], full, ['passed']];
  return windows.flatMap((verdicts, n) =>
    verdicts.flatMap((verdict) => {
      const window = String(1_800_000_000 + n * 60);
      const status = verdict === 'passed' ? '200' : '429';
      return [
        point('limit_answers', n * 60, 1, { scenario: 'hammer', window, verdict }),
        point('http_req_duration', n * 60, 1, { scenario: 'hammer', status }),
      ];
    }),
  );
}

describe('results', () => {
  test('leave preparations out', () => {
    const { scenarios } = resultsOf(smoke, SMOKE_LINES);
    const [read, ...others] = scenarios;
    assert.deepEqual([read?.name, read?.count, read?.failed, others], ['read', 2, 1, []]);
  });

  test('fail with a threshold, and without any request', () => {
    assert.deepEqual(resultsOf(smoke, SMOKE_LINES).failures, []);
    assert.deepEqual(resultsOf(smoke, SMOKE_LINES, { ok: false }).failures, ['checks is not rate==1']);
    assert.deepEqual(resultsOf(smoke, []).failures, ['nothing was asked']);
  });

  test('fail with a limit that is not exact', () => {
    assert.deepEqual(resultsOf(limiter, limiterLines(['passed', 'passed', 'refused'])).failures, []);
    const { failures } = resultsOf(limiter, limiterLines(['passed', 'passed', 'passed', 'refused']));
    assert.match(failures.join(), /passed 3, more than the limit of 2/);
    assert.match(failures.join(), /gateway-1 counted by itself once/);
  });

  test('are inconclusive with a neighbour of whom too little is known', () => {
    const lines = [0, 1].map((phase) =>
      point('http_req_duration', phase, 5, { scenario: 'quiet', status: '200', window: String(phase) }),
    );
    const { outcome, failures, doubts } = resultsOf(noisyNeighbour, lines);
    assert.deepEqual([outcome, failures], ['inconclusive', []]);
    assert.match(doubts.join(), /from 1 pairs of minutes/);
  });

  test('are inconclusive with a soak that saw nothing of the processes, and fail with one that saw a leak', () => {
    assert.equal(resultsOf(soak, SMOKE_LINES, { resources: [] }).outcome, 'inconclusive');
    assert.equal(resultsOf(soak, SMOKE_LINES, { resources: growing(0) }).outcome, 'held');
    const { outcome, failures } = resultsOf(soak, SMOKE_LINES, { resources: growing(10) });
    assert.equal(outcome, 'failed');
    assert.match(failures.join(), /jobs: open descriptors grew from/);
    assert.equal(resultsOf(smoke, SMOKE_LINES, { resources: growing(10) }).outcome, 'held');
    assert.equal(resultsOf(soak, SMOKE_LINES, { resources: growing(10), ok: false }).failures.length, 2);
  });
});

describe('a verdict', () => {
  const failed = renderVerdict(resultsOf(smoke, SMOKE_LINES, { ok: false }));
  const exact = renderVerdict(resultsOf(limiter, limiterLines(['passed', 'passed', 'refused'])));
  const flooded = resultsOf(noisyNeighbour, [
    point('http_req_duration', 0, 5, { scenario: 'quiet', status: '200', window: '0' }),
    point('http_req_duration', 20, 6, { scenario: 'quiet', status: '200', window: '1' }),
    point('http_req_duration', 20, 1, { scenario: 'flood1', status: '429' }),
    point('http_req_duration', 60, 1, { scenario: 'flood2', status: '429' }),
  ]);
  const leaking = renderVerdict(resultsOf(soak, SMOKE_LINES, { resources: growing(10) }));

  test('has no number that is none', () => {
    for (const text of [failed, exact, renderVerdict(flooded), leaking]) {
      assert.equal(/.{0,40}(NaN|Infinity|undefined)/.exec(text)?.[0], undefined);
    }
  });

  test('says what did not hold, and how to run it again', () => {
    assert.match(failed, /not everything held\n.*\*\*Failure\*\*: checks is not rate==1/s);
    assert.match(exact, /: everything held\n/);
    assert.match(exact, /^- Again: `npm run load -- limiter`$/m);
  });

  test('says first how much of the profile was run', () => {
    assert.match(leaking, /^soak, 1 min, 1 % of the profile's full 120 min: /);
    const whole = { ...resultsOf(soak, SMOKE_LINES), minutes: 120 };
    assert.match(renderVerdict(whole), /^soak, 120 min, the profile's full length: everything held/);
  });

  test('says of a run that cannot tell that it is inconclusive', () => {
    assert.match(renderVerdict(flooded), /: inconclusive, as the run cannot tell\n/);
    assert.match(
      renderVerdict(resultsOf(noisyNeighbour, SMOKE_LINES)),
      /: inconclusive, as the run cannot tell\n.*\*\*Inconclusive\*\*: nothing can be said/s,
    );
  });

  test('shows what each process held, and names what grew', () => {
    assert.match(leaking, /\| second quarter → last \| resident memory, MB \| open descriptors \|/);
    assert.match(leaking, /\| jobs \| 100 → 100 \| \d+ → \d+ \*\*grew\*\* \|/);
  });

  test('shows each window of a limit, and who let it through', () => {
    assert.equal(exact.match(/^\| \d\d:\d\d:\d\d \|/gm)?.length, 3);
    assert.match(exact, /^\| 08:01:00 \| 2 \| 1 \| 0 \| yes \|$/m);
    assert.match(exact, /^\| gateway-1 \| 1 \| 4 \| 1 \|$/m);
  });

  test('counts floods as one scenario', () => {
    const scenarios = flooded.scenarios.map(({ name, refused }) => `${name} ${refused}`);
    assert.deepEqual(scenarios, ['flood 2', 'quiet 0']);
  });

  test('shows the limit and the latencies of each scenario', () => {
    assert.match(exact, /^- Limit 2;/m);
    assert.match(exact, /\| hammer \| 5 \| 1 \| 0 \| 1 \| 1 \| 1 \| 1 \|/);
  });
});
