/**
 * The chart's dashboards and alert rules use only what exists: every metric, label and listed value is in the
 * catalogue, and rules keep installations apart. Each alert has its two tests for promtool and an entry in
 * the runbook.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { MetricDefinition } from '@audiosplit/chassis/observability/metric-definition';
import { METRICS, PROCESS_NAMES } from '../harness/metrics.ts';
import { readDashboards } from './dashboards.ts';
import { type Matcher, readNames } from './promql-names.ts';
import { RULE_FILES, RULES_DIR, readRules } from './rules.ts';
import { anchorOf, RUNBOOK_PAGE, renderRunbook } from './runbook-page.ts';

/** Prometheus adds them to a target. */
const TARGET_LABELS = ['namespace', 'instance'];
/** prom-client's own metrics that docs/reference/metrics.md names. */
const PROCESS_METRICS = [
  'process_cpu_seconds_total',
  'process_resident_memory_bytes',
  'process_open_fds',
  'process_start_time_seconds',
  'nodejs_eventloop_lag_seconds',
  'nodejs_eventloop_lag_p99_seconds',
  'nodejs_heap_size_used_bytes',
];

interface Known {
  readonly labels: MetricDefinition['labels'];
}

const catalogue = new Map<string, Known>(
  Object.entries(METRICS as Readonly<Record<string, MetricDefinition>>).flatMap(([name, metric]) => {
    const { labels, buckets } = metric;
    if (buckets === undefined) return [[name, { labels }]] as const;
    return [
      [`${name}_count`, { labels }],
      [`${name}_sum`, { labels }],
      [`${name}_bucket`, { labels: { ...labels, le: [...buckets.map(String), '+Inf'] } }],
    ] as const;
  }),
);

/** Describes the faults of an expression. */
function faultsOf(expression: string, recorded: ReadonlySet<string> = new Set()): string[] {
  const { selectors, groupings } = readNames(expression);
  const known = new Set([...TARGET_LABELS, 'le']);
  const faults = selectors.flatMap(({ metric, matchers }) => {
    if (recorded.has(metric) || PROCESS_METRICS.includes(metric)) return [];
    const found = catalogue.get(metric);
    if (found === undefined) return [`there is no ${metric}`];
    for (const label of Object.keys(found.labels)) known.add(label);
    return matchers.flatMap((matcher) => faultsOfMatcher(metric, found, matcher));
  });
  return [
    ...faults,
    ...groupings.filter((label) => !known.has(label)).map((label) => `nothing has ${label}`),
  ];
}

function faultsOfMatcher(metric: string, { labels }: Known, { label, operator, value }: Matcher): string[] {
  if (TARGET_LABELS.includes(label)) return [];
  const values = labels[label];
  if (values === undefined) return [`${metric} has no ${label}`];
  if (typeof values === 'string') return [];
  const asked = operator.endsWith('~') ? value.split('|') : [value];
  // Prometheus 3 writes whole bounds as 1.0.
  const written = (each: string) => (label === 'le' ? each.replace(/\.0$/, '') : each);
  return asked
    .filter((each) => !values.includes(written(each)))
    .map((each) => `${metric} has no ${label}="${each}"`);
}

/** Aggregations and joins that would combine several installations into one figure. */
function mixturesIn(expression: string): string[] {
  const mixture =
    /\b(?:sum|min|max|avg|count|group|quantile|topk|bottomk)(?:\(| by \((?!namespace\b)).*|\bon \((?!namespace\b).*/g;
  return [...expression.matchAll(mixture)].map(([found]) => found);
}

test('figures that several installations would share are found', () => {
  assert.deepEqual(mixturesIn('sum(a_count) > 1'), ['sum(a_count) > 1']);
  assert.deepEqual(mixturesIn('max by (group) (a)'), ['max by (group) (a)']);
  assert.deepEqual(mixturesIn('a unless on (instance) b'), ['on (instance) b']);
  assert.deepEqual(mixturesIn('max by (namespace) (a) and on (namespace, instance) b_sum'), []);
});

test('what is not there is found', () => {
  assert.deepEqual(faultsOf('sum(audiosplit_jobs_waiting)'), ['there is no audiosplit_jobs_waiting']);
  assert.deepEqual(faultsOf('audiosplit_jobs_queued{plan="free"}'), ['audiosplit_jobs_queued has no plan']);
  assert.deepEqual(faultsOf('sum by (route) (audiosplit_job_failures_total)'), ['nothing has route']);
  assert.deepEqual(faultsOf('audiosplit_webhook_deliveries_total{outcome=~"delivered|dropped"}'), [
    'audiosplit_webhook_deliveries_total has no outcome="dropped"',
  ]);
  assert.deepEqual(faultsOf('audiosplit_job_wait_duration_seconds_bucket{le="61"}'), [
    'audiosplit_job_wait_duration_seconds_bucket has no le="61"',
  ]);
});

describe('dashboards', () => {
  const dashboards = readDashboards();

  test('are four, each with a name of its own', () => {
    assert.equal(dashboards.length, 4);
    assert.equal(new Set(dashboards.map(([, { uid }]) => uid)).size, 4);
    assert.equal(new Set(dashboards.map(([, { title }]) => title)).size, 4);
  });

  for (const [file, dashboard] of dashboards) {
    const panels = dashboard.panels.filter(({ type }) => type !== 'row');
    for (const { title, targets = [], ...panel } of panels) {
      test(`${file}: ${title}`, () => {
        assert.ok(targets.length > 0, 'it asks for something');
        for (const { expr, legendFormat } of targets) {
          assert.deepEqual(faultsOf(expr), [], expr);
          const { groupings } = readNames(expr);
          for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) {
            assert.ok(
              label === 'instance' || groupings.includes(label),
              `${label} of the legend is in ${expr}`,
            );
          }
        }
        assert.ok(panel.fieldConfig?.defaults.unit, 'a unit');
        assert.ok(panel.description, 'a description');
      });
    }
    test(`${file}: no panel lies on another`, () => {
      const taken = new Map<string, string>();
      for (const { title, gridPos } of dashboard.panels) {
        assert.ok(gridPos.x + gridPos.w <= 24, title);
        for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
          for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
            assert.equal(taken.get(`${x} ${y}`), undefined, title);
            taken.set(`${x} ${y}`, title);
          }
        }
      }
      assert.equal(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length);
    });
  }
});

describe('alert rules', () => {
  const rules = RULE_FILES.flatMap((file) => readRules(file).map((rule) => ({ file, ...rule })));
  const recorded = new Set(rules.filter(({ kind }) => kind === 'record').map(({ name }) => name));
  const alerts = rules.filter(({ kind }) => kind === 'alert');

  test('there are some, and none twice', () => {
    assert.ok(alerts.length >= 20);
    assert.equal(new Set(rules.map(({ name }) => name)).size, rules.length);
  });

  for (const { name, text } of rules) {
    test(`${name} asks for what there is`, () => {
      const [, expression = ''] = /\n {8}expr: >-\n((?: {10}.*\n)+)/.exec(text) ?? [];
      assert.notEqual(expression.trim(), '');
      assert.deepEqual(faultsOf(expression, recorded), []);
      assert.deepEqual(mixturesIn(expression), [], 'each namespace by itself');
    });
  }

  test('every process is missed', () => {
    const { text = '' } = alerts.find(({ name }) => name === 'AudiosplitServiceGone') ?? {};
    const missed = [...text.matchAll(/absent\(audiosplit_process_info\{process="(\w+)"\}\)/g)];
    assert.deepEqual(missed.map(([, process]) => process).sort(), [...PROCESS_NAMES].sort());
  });

  for (const { name, text } of rules.filter(({ kind }) => kind === 'record')) {
    test(`${name} looks back as far as it says`, () => {
      const [, window] = /rate(\d+[smhd])$/.exec(name) ?? [];
      const ranges = Array.from(text.matchAll(/\[(\w+)\]/g), ([, range]) => range);
      assert.deepEqual(new Set(ranges), new Set([window]));
    });
  }

  test('docs/operations/runbook.md has the entry of each alert', () => {
    assert.equal(readFileSync(RUNBOOK_PAGE, 'utf8'), renderRunbook(), 'run `npm run generate -- runbook`');
  });

  for (const { name, file, text, anchor } of alerts) {
    test(`${name} has a severity, a summary and one entry in the runbook`, () => {
      assert.match(text, /\n {10}severity: (critical|warning)\n/);
      assert.match(text, /\n {10}summary: '.+'\n/);
      const entries = alerts.flatMap((alert) => (alert.anchor === anchor ? (alert.runbook ?? []) : []));
      assert.deepEqual(entries.map(anchorOf), [anchor]);
    });

    test(`${name} has a firing and a silent test`, () => {
      const tests = readFileSync(join(RULES_DIR, file.replace('.yaml', '.test.yaml')), 'utf8');
      const expected = [...tests.matchAll(/alertname: (\w+)\n +exp_alerts:( \[\])?\n/g)]
        .filter(([, alert]) => alert === name)
        .map(([, , none]) => (none === undefined ? 'fires' : 'is silent'));
      assert.deepEqual([...new Set(expected)].sort(), ['fires', 'is silent']);
    });
  }
});
