/**
 * No panel of the dashboards is empty: the product is used, scraped, used again and scraped again, and promtool evaluates each
 * query over what was told. An engine test, as promtool is built by Go.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { until } from '@audiosplit/chassis/testing/until';
import { reportedTask, reportTo } from '../engines/progress.ts';
import { type ObservedRun, startObservedRun, WRONG_PASSWORD } from '../local/test/observed-run.fixture.ts';
import { readDashboards } from './dashboards.ts';
import { withoutData } from './panel-data.ts';
import { ensurePromtool } from './promtool.ts';

/** Panels that may be empty while all is well, by `file: title`, and why that is right. */
const EMPTY_WHEN_WELL: Readonly<Record<string, string>> = {
  'billing-and-webhooks.json: p95 of scheduled work': 'work by the hour has not been done yet',
  'dependencies.json: Failed runs': 'no scheduled work has failed',
  'dependencies.json: Gauges that could not be read': 'all gauges are read',
  'dependencies.json: Not handled well': 'all messages are handled',
  'overview.json: Errors by route': 'nothing was answered with 5xx',
};

const ROUNDS = 2;
/** Of promtool, where it is not there yet. */
const BUILD_TIMEOUT_MS = 15 * 60_000;
/** Each of a round's two jobs tells that it has begun, and how it has ended. */
const NOTIFICATIONS = 4;
const panels = readDashboards().flatMap(([file, { panels: all }]) =>
  all.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }) => ({ name: `${file}: ${title}`, legendFormat, expr })),
  ),
);

describe('panels', { timeout: BUILD_TIMEOUT_MS }, () => {
  let empty: ReadonlySet<string>;

  before(
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'audiosplit-panels-'));
      try {
        const { signal } = new AbortController();
        const promtool = await ensurePromtool(reportedTask('promtool', reportTo(process.stderr), signal));
        await using run = await startObservedRun();
        const pages = [await run.scrape()];
        for (let round = 1; round <= ROUNDS; round++) pages.push(await use(run, round));
        const expressions = panels.map(({ expr }) => expr);
        empty = new Set(withoutData(expressions, { promtool, pages, file: join(folder, 'panels.json') }));
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    { timeout: BUILD_TIMEOUT_MS },
  );

  for (const { name, legendFormat, expr } of panels.filter((panel) => !(panel.name in EMPTY_WHEN_WELL))) {
    test(`${name}${legendFormat && `, ${legendFormat}`}`, () => {
      assert.ok(!empty.has(expr), expr);
    });
  }

  test('those that are said to be empty are there', () => {
    const names = new Set(panels.map(({ name }) => name));
    assert.deepEqual(
      Object.keys(EMPTY_WHEN_WELL).filter((name) => !names.has(name)),
      [],
    );
  });
});

/** What callers do in a quarter of an hour, done well and done badly; resolves with what the product tells then. */
async function use(run: ObservedRun, round: number): Promise<string> {
  const { call, credentials, withToken, receiver } = run;
  await call('POST /api/v1/auth/login', {}, { ...credentials, password: WRONG_PASSWORD });
  await call('PUT /api/v1/billing/payment-method', withToken, { token: 'tok_nobodyKnows' });
  const { sourceUrl } = await run.upload();
  const webhookUrl = `${receiver.url}/hook`;
  assert.equal((await run.split({ sourceUrl, webhookUrl })).status, 'completed');
  const failed = await run.split({ sourceUrl: `${receiver.url}/missing.mp3`, webhookUrl });
  assert.equal(failed.status, 'failed');
  const delivered = new RegExp(
    `^audiosplit_webhook_deliveries_total\\{outcome="delivered"\\} ${NOTIFICATIONS * round}$`,
    'm',
  );
  let page = '';
  await until(async () => {
    page = await run.scrape();
    return delivered.test(page);
  }, 'the receiver has been told');
  return page;
}
