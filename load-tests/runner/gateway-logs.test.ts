import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countByGateway } from './gateway-logs.ts';

test('answers to lists of jobs are counted by what became of them, and so are the times without Redis', () => {
  const request = (method: string, route: string, status: number) =>
    JSON.stringify({ level: 30, service: 'gateway', method, route, status, durationMs: 1, msg: 'request' });
  const log = [
    request('GET', '/api/v1/splits', 200),
    request('GET', '/api/v1/splits', 429),
    request('GET', '/api/v1/splits', 429),
    request('GET', '/api/v1/splits', 503),
    request('GET', '/api/v1/splits/:jobId', 200),
    request('POST', '/api/v1/splits', 201),
    '{"level":40,"msg":"Redis does not count; limits hold per gateway, in part"}',
    '{"level":30,"msg":"Redis counts again"}',
    'not JSON',
    '',
  ].join('\n');
  const counted = { name: 'gateway-0', passed: 1, refused: 2, timesAlone: 1 };
  assert.deepEqual(countByGateway('gateway-0', log), counted);
});
