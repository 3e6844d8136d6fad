import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createProcessLog } from './process-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'audiosplit-log-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const entry = (level: number, msg: string, err?: object) => `${JSON.stringify({ level, msg, err })}\n`;

test('the last error is the one of the last error line', () => {
  const path = join(folder, 'service.log');
  const log = createProcessLog(path);
  assert.equal(log.lastError(), undefined);
  appendFileSync(path, entry(30, 'serving') + entry(50, 'call failed', { message: 'no route' }));
  assert.equal(log.lastError(), 'call failed: no route');
  appendFileSync(path, entry(40, 'a warning'));
  assert.equal(log.lastError(), 'call failed: no route');
  appendFileSync(path, 'audiosplit-auth: AUTH_SECRET is not set\n    at main.ts:1\n');
  assert.equal(log.lastError(), 'audiosplit-auth: AUTH_SECRET is not set');
});

test('a line that is still being written counts once it is complete', () => {
  const path = join(folder, 'half.log');
  const log = createProcessLog(path);
  const line = entry(60, 'gone');
  appendFileSync(path, line.slice(0, 10));
  assert.equal(log.lastError(), undefined);
  appendFileSync(path, line.slice(10));
  assert.equal(log.lastError(), 'gone');
});

test('the log of the previous run is kept once', () => {
  const path = join(folder, 'again.log');
  writeFileSync(path, 'before\n');
  const log = createProcessLog(path);
  assert.equal(log.lastError(), undefined);
  assert.equal(readFileSync(`${path}.previous`, 'utf8'), 'before\n');
  appendFileSync(path, 'one\ntwo\nthree\n');
  assert.equal(log.tail(2), 'two\nthree');
});
