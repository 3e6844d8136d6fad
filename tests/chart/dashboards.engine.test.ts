/**
 * No panel of the dashboards is empty: promtool evaluates each query over the product's metrics while it is
 * used, or over samples of failures. This is an engine test, because promtool is built with Go.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { metersOf } from '@audiosplit/chassis/observability/metrics';
import { createPrometheus } from '@audiosplit/chassis/observability/prometheus';
import { silentLogger } from '@audiosplit/chassis/process/log';
import { until } from '@audiosplit/chassis/testing/until';
import { TOPICS } from '@audiosplit/proto/topics';
import { reportedTask, reportTo } from '../../deploy/provision/progress.ts';
import { type ObservedRun, startObservedRun, WRONG_PASSWORD } from '../harness/installation/observed-run.ts';
import { METRICS, PROCESS_NAMES } from '../harness/metrics.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { readDashboards } from './dashboards.ts';
import { withoutData } from './panel-data.ts';
import { ensurePromtool } from './promtool.ts';

/**
 * Panels that may be empty while all is well, by `file: title`: the reason, and the metrics that fill them.
 */
const EMPTY_WHEN_WELL: Readonly<Record<string, { readonly why: string; readonly happen: () => void }>> = {
  'billing-and-webhooks.json: p95 of scheduled work': {
    why: 'work by the hour has not been done yet',
    happen: () => runTask('done'),
  },
  'dependencies.json: Failed runs': {
    why: 'no scheduled work has failed',
    happen: () => runTask('failed'),
  },
  'dependencies.json: Gauges that could not be read': {
    why: 'all gauges are read',
    happen: () => count('audiosplit_metrics_read_failures_total', { metric: 'audiosplit_jobs_queued' }),
  },
  'dependencies.json: Failed deliveries': {
    why: 'all messages are handled',
    happen() {
      const where = { group: 'webhooks', topic: TOPICS.splits };
      count('audiosplit_event_bus_consumed_total', { ...where, outcome: 'failed' });
      count('audiosplit_event_bus_consumed_total', { ...where, outcome: 'dead_lettered' });
    },
  },
  'overview.json: Errors by route': {
    why: 'nothing was answered with 5xx',
    happen() {
      const request = { method: 'GET', route: '/api/v1/splits', status_class: '5xx' } as const;
      observe('audiosplit_http_request_duration_seconds', request, 0.1);
    },
  },
};

const { count, observe } = metersOf(METRICS);
const ROUNDS = 2;
/** For building promtool if it is missing. */
const BUILD_TIMEOUT_MS = 15 * 60_000;
/** Each of a round's two jobs sends a notification at its start and at its end. */
const NOTIFICATIONS = 4;
const panels = readDashboards().flatMap(([file, { panels: all }]) =>
  all.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }) => ({ name: `${file}: ${title}`, legendFormat, expr })),
  ),
);

describe('panels', { timeout: BUILD_TIMEOUT_MS }, () => {
  let empty: ReadonlySet<string>;
  let emptyAfterFailures: ReadonlySet<string>;

  before(
    async () => {
      await using folder = await temporaryFolder();
      const { signal } = new AbortController();
      const promtool = await ensurePromtool(reportedTask('promtool', reportTo(process.stderr), signal));
      const expressions = panels.map(({ expr }) => expr);
      const file = join(folder.path, 'panels.json');
      empty = new Set(withoutData(expressions, { promtool, pages: await pagesOfUse(), file }));
      const pages = await pagesOfFailures();
      emptyAfterFailures = new Set(withoutData(expressions, { promtool, pages, file }));
    },
    { timeout: BUILD_TIMEOUT_MS },
  );

  for (const { name, legendFormat, expr } of panels.filter((panel) => !(panel.name in EMPTY_WHEN_WELL))) {
    test(`${name}${legendFormat && `, ${legendFormat}`}`, () => {
      assert.ok(!empty.has(expr), expr);
    });
  }

  for (const [name, { why }] of Object.entries(EMPTY_WHEN_WELL)) {
    test(`${name}, empty while ${why}, once that is over`, () => {
      const expressions = panels.filter((panel) => panel.name === name).map(({ expr }) => expr);
      assert.ok(expressions.length > 0, 'there is such a panel');
      assert.deepEqual(
        expressions.filter((expr) => emptyAfterFailures.has(expr)),
        [],
      );
    });
  }
});

async function pagesOfUse(): Promise<string[]> {
  await using run = await startObservedRun();
  const pages = [await run.scrape()];
  for (let round = 1; round <= ROUNDS; round++) pages.push(await use(run, round));
  return pages;
}

/**
 * The metrics of processes with failures only: in names and labels of the catalogue, because nothing else
 * compiles.
 */
async function pagesOfFailures(): Promise<string[]> {
  using prometheus = createPrometheus({ processes: PROCESS_NAMES, metrics: METRICS, log: silentLogger() });
  const pages = [await prometheus.scrape()];
  for (let round = 1; round <= ROUNDS; round++) {
    for (const { happen } of Object.values(EMPTY_WHEN_WELL)) happen();
    pages.push(await prometheus.scrape());
  }
  return pages;
}

function runTask(outcome: 'done' | 'failed'): void {
  observe('audiosplit_scheduled_task_duration_seconds', { schema: 'billing', task: 'prune', outcome }, 0.1);
}

/**
 * Makes a quarter of an hour's calls, valid and invalid ones; resolves with the product's metrics after them.
 */
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
