import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

test('every part of the API bench runs and reports its figures', async () => {
  const few = ['--requests', '40', '--rounds', '1', '--only', 'gateway,hop,whole'];
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--conditions=audiosplit-source',
    join(import.meta.dirname, 'bench-api.ts'),
    ...few,
  ]);
  const measures = ['gateway: create', 'hop, 1 at a time', 'identity of a call', 'whole system: create'];
  for (const row of [...measures, 'whole system: list']) {
    assert.match(stdout, new RegExp(`^\\| ${row}`, 'm'));
  }
});
