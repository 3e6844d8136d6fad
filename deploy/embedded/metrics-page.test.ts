import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { MetricDefinition } from '@audiosplit/chassis/observability/metric-definition';
import { METRICS, METRICS_OF } from './metrics.ts';
import { METRICS_PAGE, renderMetricsPage } from './metrics-page.ts';

const metrics = Object.entries<MetricDefinition>(METRICS);

test('docs/reference/metrics.md matches the metrics of the processes', async () => {
  const actual = await readFile(METRICS_PAGE, 'utf8').catch(() => '');
  assert.equal(actual, renderMetricsPage(), 'run `npm run generate -- metrics`');
});

// https://prometheus.io/docs/practices/naming/
test('names follow the conventions of Prometheus', () => {
  for (const [name, { type, buckets }] of metrics) {
    assert.match(name, /^audiosplit_[a-z]+(_[a-z]+)*$/);
    assert.equal(name.endsWith('_total'), type === 'counter', name);
    assert.equal(buckets !== undefined, type === 'histogram', name);
    if (type === 'histogram') assert.match(name, /_seconds$/);
    assert.deepEqual(
      buckets?.toSorted((a, b) => a - b),
      buckets,
      name,
    );
  }
});

test('no label has the name of one that a scraper adds, or of an unbounded value', () => {
  const forbidden =
    /^(job|instance|service|pod|namespace|container|node|endpoint|le|quantile)$|account|_id$|url|email|ip/;
  for (const [name, { labels }] of metrics) {
    for (const label of Object.keys(labels)) assert.doesNotMatch(label, forbidden, name);
  }
});

test('a metric of two processes has the same definition in both', () => {
  const shared = ({ type, help, buckets }: MetricDefinition) => ({ type, help, buckets });
  for (const shown of Object.values(METRICS_OF)) {
    for (const [name, metric] of Object.entries<MetricDefinition>(shown)) {
      assert.deepEqual(shared(metric), shared(METRICS[name as keyof typeof METRICS]), name);
    }
  }
});
