import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '../process/log.ts';
import { METRICS, type MetricDefinition } from './catalogue.ts';
import { count, expose, isMeasured, observe } from './metrics.ts';
import { createPrometheus } from './prometheus.ts';

const log = silentLogger();

test('nothing is kept while nobody listens', async () => {
  assert.equal(isMeasured(), false);
  count('audiosplit_job_leases_lost_total', {});
  using prometheus = createPrometheus({ processes: ['splitter'], log });
  assert.equal(isMeasured(), true);
  assert.match(await prometheus.scrape(), /^audiosplit_job_leases_lost_total 0$/m);
});

test('counters and histograms add up, by their labels', async () => {
  using prometheus = createPrometheus({ processes: ['jobs'], log });
  count('audiosplit_job_failures_total', { code: 'INTERNAL_ERROR' });
  count('audiosplit_job_failures_total', { code: 'INTERNAL_ERROR' }, 2);
  observe('audiosplit_job_duration_seconds', { outcome: 'completed', output_format: 'mp3' }, 1.5);
  const page = await prometheus.scrape();
  assert.match(page, /^audiosplit_job_failures_total\{code="INTERNAL_ERROR"\} 3$/m);
  const completed = 'outcome="completed",output_format="mp3"';
  assert.match(page, new RegExp(`^audiosplit_job_duration_seconds_bucket\\{le="1",${completed}\\} 0$`, 'm'));
  assert.match(page, new RegExp(`^audiosplit_job_duration_seconds_bucket\\{le="2",${completed}\\} 1$`, 'm'));
  assert.match(page, new RegExp(`^audiosplit_job_duration_seconds_sum\\{${completed}\\} 1.5$`, 'm'));
});

test('what may happen and has not is told as zero where its labels are known', async () => {
  using prometheus = createPrometheus({ processes: ['jobs', 'gateway'], log });
  const page = await prometheus.scrape();
  assert.match(page, /^audiosplit_job_leases_reaped_total\{outcome="failed"\} 0$/m);
  assert.match(page, /^audiosplit_http_requests_refused_total\{reason="overloaded"\} 0$/m);
  assert.match(page, /^audiosplit_job_source_seconds_total\{output_format="flac"\} 0$/m);
});

test('a process tells of itself only, and of what Node and the system say of it', async () => {
  using prometheus = createPrometheus({ processes: ['gateway'], log });
  using _splitter = expose('audiosplit_splitter_slots', () => [{ labels: {}, value: 2 }]);
  const page = await prometheus.scrape();
  const told = new Set(page.matchAll(/^# TYPE (audiosplit_\w+)/gm).map(([, name = '']) => name));
  const others = Object.entries<MetricDefinition>(METRICS)
    .filter(([, { of }]) => !of.includes('gateway'))
    .filter(([name]) => told.has(name));
  assert.deepEqual(others, []);
  assert.ok(told.has('audiosplit_http_request_duration_seconds'));
  assert.match(page, /^process_cpu_seconds_total /m);
  assert.match(page, /^nodejs_eventloop_lag_p99_seconds /m);
});

test('gauges are read anew for each scrape, until they are disposed of', async () => {
  using prometheus = createPrometheus({ processes: ['jobs'], log });
  let queued = 7;
  {
    using _ = expose('audiosplit_jobs_queued', () => [{ labels: {}, value: queued }]);
    assert.match(await prometheus.scrape(), /^audiosplit_jobs_queued 7$/m);
    queued = 3;
    assert.match(await prometheus.scrape(), /^audiosplit_jobs_queued 3$/m);
  }
  assert.doesNotMatch(await prometheus.scrape(), /^audiosplit_jobs_queued/m);
});

test('a gauge that fails or hangs is left out and counted, and keeps no other from being told', async () => {
  using prometheus = createPrometheus({ processes: ['jobs'], log, readTimeoutMs: 20 });
  using _failing = expose('audiosplit_jobs_queued', () => {
    throw new Error('the database is away');
  });
  let asked = 0;
  using _hanging = expose('audiosplit_jobs_processing', () => {
    asked += 1;
    return Promise.withResolvers<never>().promise;
  });
  using _well = expose('audiosplit_jobs_runnable', () => [{ labels: {}, value: 1 }]);
  const page = await prometheus.scrape();
  assert.doesNotMatch(page, /^audiosplit_jobs_(queued|processing)\b/m);
  assert.match(page, /^audiosplit_jobs_runnable 1$/m);
  const next = await prometheus.scrape();
  for (const metric of ['audiosplit_jobs_queued', 'audiosplit_jobs_processing']) {
    assert.match(
      next,
      new RegExp(`^audiosplit_metrics_read_failures_total\\{metric="${metric}"\\} [12]$`, 'm'),
    );
  }
  assert.equal(asked, 1, 'what hangs is not asked once more');
});
