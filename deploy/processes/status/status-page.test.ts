import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ProcessRow, renderStatusPage } from './status-page.ts';

const row = (name: string, more: Partial<ProcessRow> = {}): ProcessRow => ({
  name,
  pid: 4711,
  state: { kind: 'ready' },
  restarts: 0,
  usage: { cpuPercent: 12.4, residentBytes: 90 * 1024 ** 2 },
  lastError: undefined,
  ...more,
});

test('every process has one line, in columns', () => {
  const rows = [
    row('kafka', { state: { kind: 'running' }, restarts: undefined }),
    row('gateway-0'),
    row('splitter-1', {
      pid: undefined,
      state: { kind: 'dead', end: 'ended with 1', restartInMs: 2_000 },
      restarts: 2,
      usage: undefined,
      lastError: 'out of disk',
    }),
  ];
  const page = renderStatusPage(rows, { logsFolder: '/var/logs', upSeconds: 200 }, 200);
  assert.deepEqual(page.split('\n'), [
    '2 of 3 processes serve, up 3 min; logs in /var/logs',
    '',
    'process      pid  state                       restarts   cpu  memory  last error',
    'kafka       4711  running                               12 %  90 MiB',
    'gateway-0   4711  ready                              0  12 %  90 MiB',
    'splitter-1     -  ended with 1, again in 2 s         2                out of disk',
  ]);
});

test('no line is wider than the terminal', () => {
  const rows = [row('gateway-0', { lastError: 'x'.repeat(500) })];
  const page = renderStatusPage(rows, { logsFolder: '/var/logs', upSeconds: 7_300 }, 60);
  assert.ok(page.split('\n').every((line) => line.length <= 60));
  assert.match(page, /up 2 h 1 min/);
});
