import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectSamples } from './samples.ts';

const TIME = '2026-11-21T18:00:01.123456789+01:00';

function line(metric: string, value: number, tags: Record<string, string>): string {
  return JSON.stringify({ metric, type: 'Point', data: { time: TIME, value, tags } });
}

test('requests of both protocols are kept with what reports need of them', () => {
  const samples = collectSamples();
  samples.add(line('http_req_duration', 12.5, { scenario: 'read', status: '200', window: '3' }));
  samples.add(line('http_req_duration', 1, { scenario: 'read', status: '429', expected_response: 'true' }));
  samples.add(line('http_req_duration', 2, { status: '500', expected_response: 'false' }));
  samples.add(line('grpc_req_duration', 3, { scenario: 'rpcRead', status: '0' }));
  samples.add(line('grpc_req_duration', 4, { scenario: 'rpcRead', status: '14' }));
  assert.deepEqual(samples.requests[0], {
    atMs: Date.parse('2026-11-21T17:00:01.123Z'),
    durationMs: 12.5,
    scenario: 'read',
    status: 200,
    isExpected: true,
    window: '3',
  });
  const outcomes = samples.requests.map(({ scenario, isExpected }) => `${scenario} ${isExpected}`);
  assert.deepEqual(outcomes, ['read true', 'read true', 'setup false', 'rpcRead true', 'rpcRead false']);
});

test('checks are counted by name, dropped arrivals added up, windows kept', () => {
  const samples = collectSamples();
  for (const value of [1, 1, 0]) samples.add(line('checks', value, { check: 'jobs are listed' }));
  samples.add(line('dropped_iterations', 2, { scenario: 'read' }));
  samples.add(line('dropped_iterations', 1, { scenario: 'read' }));
  samples.add(line('job_seconds', 1.5, { scenario: 'create' }));
  samples.add(line('limit_answers', 1, { scenario: 'hammer', window: '1800000000', verdict: 'refused' }));
  assert.deepEqual([...samples.checks], [['jobs are listed', { passes: 2, fails: 1 }]]);
  assert.equal(samples.droppedIterations, 3);
  assert.deepEqual(samples.jobSeconds, [1.5]);
  assert.deepEqual(samples.answers, [{ window: '1800000000', verdict: 'refused' }]);
});

test('other metrics, descriptions of metrics and lines that are no samples are passed over', () => {
  const samples = collectSamples();
  samples.add(line('http_req_blocked', 1, { scenario: 'read' }));
  samples.add('{"type":"Metric","data":{"name":"http_req_duration"},"metric":"http_req_duration"}');
  samples.add('time="…" level=warning');
  samples.add('');
  assert.equal(samples.requests.length, 0);
});
