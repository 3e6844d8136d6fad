import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { METRICS, type MetricDefinition } from './catalogue.ts';
import { METRICS_PAGE, renderMetricsPage } from './metrics-page.ts';

const metrics = Object.entries<MetricDefinition>(METRICS);

test('docs/reference/metrics.md says what the catalogue says', async () => {
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

test('no label takes the name of one that a scraper gives, or of what has no bounds', () => {
  const forbidden =
    /^(job|instance|service|pod|namespace|container|node|endpoint|le|quantile)$|account|_id$|url|email|ip/;
  for (const [name, { labels }] of metrics) {
    for (const label of Object.keys(labels)) assert.doesNotMatch(label, forbidden, name);
  }
});
