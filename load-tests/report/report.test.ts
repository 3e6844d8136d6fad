import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { collectSamples } from '../analysis/samples.ts';
import { limiter } from '../profiles/limiter.ts';
import { noisyNeighbour } from '../profiles/noisy-neighbour.ts';
import type { Profile } from '../profiles/profile.ts';
import { smoke } from '../profiles/smoke.ts';
import { makeResults, type Results } from '../runner/results.ts';
import { renderHtml } from './html.ts';
import { renderText } from './text.ts';

const START_MS = Date.parse('2026-11-21T12:00:00Z');

function point(metric: string, second: number, value: number, tags: Record<string, string>): string {
  const time = new Date(START_MS + second * 1_000).toISOString();
  return JSON.stringify({ metric, type: 'Point', data: { time, value, tags } });
}

function resultsOf(
  profile: Profile,
  lines: readonly string[],
  changes: { readonly ok?: boolean } = {},
): Results {
  const samples = collectSamples();
  for (const line of lines) samples.add(line);
  return makeResults({
    profile,
    settings: { minutes: 1, scale: 1, withRpc: false, limits: { caller: 2 } },
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
    random: () => 0.5,
  });
}

const SMOKE_LINES = [
  point('http_req_duration', -5, 900, { status: '201' }),
  point('http_req_duration', 1, 12, { scenario: 'read', status: '200' }),
  point('http_req_duration', 2, 14, { scenario: 'read', status: '500', expected_response: 'false' }),
  point('checks', 2, 0, { scenario: 'read', check: 'a job is read' }),
  point('job_seconds', 2, 1.5, { scenario: 'create' }),
];

function limiterLines(full: readonly string[]): string[] {
  const windows = [['passed'], full, ['passed']];
  return windows.flatMap((verdicts, n) =>
    verdicts.flatMap((verdict) => [
      point('limit_answers', n * 60, 1, {
        scenario: 'hammer',
        window: String(1_800_000_000 + n * 60),
        verdict,
      }),
      point('http_req_duration', n * 60, 1, {
        scenario: 'hammer',
        status: verdict === 'passed' ? '200' : '429',
      }),
    ]),
  );
}

describe('results', () => {
  test('leave preparations out', () => {
    const { scenarios, timeline } = resultsOf(smoke, SMOKE_LINES);
    assert.deepEqual(
      scenarios.map(({ name, count, failed }) => [name, count, failed]),
      [['read', 2, 1]],
    );
    assert.equal(timeline.points.length, 2);
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

  test('fail with a neighbour of whom too little is known', () => {
    const lines = [0, 1].map((window) =>
      point('http_req_duration', window, 5, { scenario: 'quiet', status: '200', window: String(window) }),
    );
    assert.match(resultsOf(noisyNeighbour, lines).failures.join(), /rests on 1 requests/);
  });
});

describe('a report', () => {
  const pages = [
    resultsOf(smoke, SMOKE_LINES, { ok: false }),
    resultsOf(limiter, limiterLines(['passed', 'passed', 'refused'])),
    resultsOf(noisyNeighbour, [
      point('http_req_duration', 0, 5, { scenario: 'quiet', status: '200', window: '0' }),
      point('http_req_duration', 20, 6, { scenario: 'quiet', status: '200', window: '1' }),
      point('http_req_duration', 20, 1, { scenario: 'flood1', status: '429' }),
      point('http_req_duration', 60, 1, { scenario: 'flood2', status: '429' }),
    ]),
  ].map((results) => ({ results, html: renderHtml(results) }));

  test('needs nothing but itself', () => {
    for (const { html } of pages) {
      assert.equal(/<script|<link|<img|src=|href=|url\(|@import/.exec(html)?.[0], undefined);
      assert.ok(html.includes('prefers-color-scheme: dark'));
    }
  });

  test('has no text that is read as markup, and no coordinate that is no number', () => {
    for (const { html } of pages) {
      assert.ok(html.includes('a=1&amp;b=&quot;&lt;2&gt;&quot;'));
      assert.equal(/.{40}(NaN|Infinity|undefined)/.exec(html)?.[0], undefined);
    }
  });

  test('says what did not hold, and how to run it again', () => {
    const [failed, held] = pages;
    assert.ok(failed && /One thing did not hold.*checks is not rate==1/s.test(failed.html));
    assert.ok(held);
    assert.ok(held.html.includes('Everything held'));
    assert.ok(held.html.includes('<code>npm run load -- limiter</code>'));
  });

  test('shows each window of a limit, and who let it through', () => {
    const html = pages[1]?.html ?? '';
    assert.equal(html.match(/class="bar blue/g)?.length, 3);
    assert.ok(html.includes('<td>gateway-1</td><td>1</td><td>4</td><td>1</td>'));
  });

  test('counts floods as one scenario', () => {
    assert.deepEqual(
      pages[2]?.results.scenarios.map(({ name, refused }) => [name, refused]),
      [
        ['flood', 2],
        ['quiet', 0],
      ],
    );
  });

  test('is told in Markdown, too', () => {
    const text = renderText(resultsOf(limiter, limiterLines(['passed', 'passed', 'refused'])));
    assert.match(text, /Limit 2\. Full windows: 2 passed and 1 refused\./);
    assert.match(text, /gateway-0 2 and 3; gateway-1 1 and 4/);
    assert.match(text, /\| hammer \| 5 \| 1 \| 0 \| 1 \| 1 \| 1 \|/);
  });
});
