import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '../process/log.ts';
import type { MetricDefinitions } from './metric-definition.ts';
import { isMeasured, metersOf } from './metrics.ts';
import { createPrometheus } from './prometheus.ts';
import { PROCESS_METRICS } from './shared-metrics.ts';

const log = silentLogger();
const OWN_METRICS = {
  audiosplit_loads_lost_total: { type: 'counter', help: 'Loads lost.', labels: {} },
  audiosplit_load_failures_total: { type: 'counter', help: 'Loads failed.', labels: { code: 'error code' } },
  audiosplit_loads_returned_total: {
    type: 'counter',
    help: 'Loads returned.',
    labels: { outcome: ['offered', 'failed'] },
  },
  audiosplit_load_duration_seconds: {
    type: 'histogram',
    help: 'Time of a load.',
    labels: { outcome: ['completed', 'failed'], kind: ['long', 'short'] },
    buckets: [1, 2, 5],
  },
  audiosplit_loads_queued: { type: 'gauge', help: 'Loads queued.', labels: {} },
  audiosplit_loads_processing: { type: 'gauge', help: 'Loads in progress.', labels: {} },
  audiosplit_loads_runnable: { type: 'gauge', help: 'Loads that could run.', labels: {} },
} as const satisfies MetricDefinitions;
const OTHER_METRICS = {
  audiosplit_other_calls_total: { type: 'counter', help: 'Calls.', labels: { reason: ['overloaded'] } },
  audiosplit_other_slots: { type: 'gauge', help: 'Slots.', labels: {} },
} as const satisfies MetricDefinitions;
const metrics = { ...PROCESS_METRICS, ...OWN_METRICS };
const { count, expose, observe } = metersOf({ ...OWN_METRICS, ...OTHER_METRICS });

test('nothing is recorded without a registry', async () => {
  assert.equal(isMeasured(), false);
  count('audiosplit_loads_lost_total', {});
  using prometheus = createPrometheus({ processes: ['one'], metrics, log });
  assert.equal(isMeasured(), true);
  assert.match(await prometheus.scrape(), /^audiosplit_loads_lost_total 0$/m);
});

test('counters and histograms add up by labels', async () => {
  using prometheus = createPrometheus({ processes: ['one'], metrics, log });
  count('audiosplit_load_failures_total', { code: 'INTERNAL_ERROR' });
  count('audiosplit_load_failures_total', { code: 'INTERNAL_ERROR' }, 2);
  observe('audiosplit_load_duration_seconds', { outcome: 'completed', kind: 'short' }, 1.5);
  const page = await prometheus.scrape();
  assert.match(page, /^audiosplit_load_failures_total\{code="INTERNAL_ERROR"\} 3$/m);
  const completed = 'outcome="completed",kind="short"';
  assert.match(page, new RegExp(`^audiosplit_load_duration_seconds_bucket\\{le="1",${completed}\\} 0$`, 'm'));
  assert.match(page, new RegExp(`^audiosplit_load_duration_seconds_bucket\\{le="2",${completed}\\} 1$`, 'm'));
  assert.match(page, new RegExp(`^audiosplit_load_duration_seconds_sum\\{${completed}\\} 1.5$`, 'm'));
});

test('a metric without events is shown as zero if its labels are known', async () => {
  using prometheus = createPrometheus({ processes: ['one'], metrics, log });
  const page = await prometheus.scrape();
  assert.match(page, /^audiosplit_loads_returned_total\{outcome="failed"\} 0$/m);
  assert.match(page, /^audiosplit_load_duration_seconds_count\{outcome="failed",kind="long"\} 0$/m);
  assert.match(page, /^audiosplit_trace_spans_total\{outcome="dropped"\} 0$/m);
});

test('a process shows its own metrics, its name, and the measurements of Node and the system', async () => {
  using prometheus = createPrometheus({ processes: ['one', 'two'], metrics, log });
  using _other = expose('audiosplit_other_slots', () => [{ labels: {}, value: 2 }]);
  count('audiosplit_other_calls_total', { reason: 'overloaded' });
  const page = await prometheus.scrape();
  const shown = new Set(page.matchAll(/^# TYPE (audiosplit_\w+)/gm).map(([, name = '']) => name));
  assert.deepEqual(
    Object.keys(OTHER_METRICS).filter((name) => shown.has(name)),
    [],
  );
  assert.ok(shown.has('audiosplit_load_duration_seconds'));
  assert.match(page, /^audiosplit_process_info\{process="one"\} 1$/m);
  assert.match(page, /^audiosplit_process_info\{process="two"\} 1$/m);
  assert.match(page, /^process_cpu_seconds_total /m);
  assert.match(page, /^nodejs_eventloop_lag_p99_seconds /m);
});

test('gauges are read at each scrape, until they are disposed of', async () => {
  using prometheus = createPrometheus({ processes: ['one'], metrics, log });
  let queued = 7;
  {
    using _ = expose('audiosplit_loads_queued', () => [{ labels: {}, value: queued }]);
    assert.match(await prometheus.scrape(), /^audiosplit_loads_queued 7$/m);
    queued = 3;
    assert.match(await prometheus.scrape(), /^audiosplit_loads_queued 3$/m);
  }
  assert.doesNotMatch(await prometheus.scrape(), /^audiosplit_loads_queued/m);
});

test('a gauge that fails or hangs is omitted and counted, and the others are still reported', async () => {
  using prometheus = createPrometheus({ processes: ['one'], metrics, log, readTimeoutMs: 20 });
  using _failing = expose('audiosplit_loads_queued', () => {
    throw new Error('the database is away');
  });
  let asked = 0;
  using _hanging = expose('audiosplit_loads_processing', () => {
    asked += 1;
    return Promise.withResolvers<never>().promise;
  });
  using _well = expose('audiosplit_loads_runnable', () => [{ labels: {}, value: 1 }]);
  const page = await prometheus.scrape();
  assert.doesNotMatch(page, /^audiosplit_loads_(queued|processing)\b/m);
  assert.match(page, /^audiosplit_loads_runnable 1$/m);
  const next = await prometheus.scrape();
  for (const metric of ['audiosplit_loads_queued', 'audiosplit_loads_processing']) {
    assert.match(
      next,
      new RegExp(`^audiosplit_metrics_read_failures_total\\{metric="${metric}"\\} [12]$`, 'm'),
    );
  }
  assert.equal(asked, 1, 'what hangs is not asked once more');
});
