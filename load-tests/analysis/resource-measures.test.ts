import assert from 'node:assert/strict';
import { test } from 'node:test';
import { METRICS } from '../../tests/harness/metrics.ts';
import { MEASURE_NAMES, measureNamed, readResources } from './resource-measures.ts';

const PAGE = `# HELP process_resident_memory_bytes Resident memory size in bytes.
# TYPE process_resident_memory_bytes gauge
process_resident_memory_bytes 123456789
process_start_time_seconds 1790000000
nodejs_gc_duration_seconds_count{kind="minor"} 40
nodejs_gc_duration_seconds_count{kind="major"} 3
nodejs_eventloop_lag_p99_seconds 0.012

audiosplit_postgres_pool_connections{schema="jobs",state="busy"} 2
audiosplit_postgres_pool_connections{schema="jobs",state="idle"} 7
audiosplit_event_bus_lag_messages{group="jobs",topic="audiosplit.splits"} 3
audiosplit_event_bus_lag_messages{group="billing",topic="audiosplit.splits"} 4
audiosplit_jobs_queued NaN
`;

test('a page is read for what a process has, summed up over labels', () => {
  assert.deepEqual(readResources(PAGE), {
    startedAtSeconds: 1_790_000_000,
    majorCollections: 3,
    values: { resident: 123.456789, connections: 2, lag: 7, loopLag: 12 },
  });
});

test('an empty page is a process that has nothing', () => {
  assert.deepEqual(readResources(''), { startedAtSeconds: undefined, majorCollections: 0, values: {} });
});

test('every metric of the product that is read is one of the catalogue', () => {
  const read = MEASURE_NAMES.map((name) => measureNamed(name).metric ?? '');
  const own = read.filter((metric) => metric.startsWith('audiosplit_'));
  assert.ok(own.length >= 6);
  for (const name of own) assert.ok(name in METRICS, name);
});
