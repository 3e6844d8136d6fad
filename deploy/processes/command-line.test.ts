import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDown, parseUp } from './command-line.ts';

test('two gateways, three splitters and restarts by default', () => {
  assert.deepEqual(parseUp([]), {
    gateways: 2,
    splitters: 3,
    detach: false,
    restart: true,
    keepEngines: false,
    help: false,
  });
  const { splitters, restart, detach, keepEngines } = parseUp([
    ...['--splitters', '64', '--no-restart', '--detach', '--keep-engines'],
  ]);
  assert.deepEqual([splitters, restart, detach, keepEngines], [64, false, true, true]);
  assert.deepEqual(parseDown(['--delete-data']), { deleteData: true, help: false });
});

test('a mistake is one line that says what is allowed', () => {
  for (const value of ['0', '65', 'two', '1.5', '']) {
    assert.throws(() => parseUp([`--splitters=${value}`]), /^StartError: --splitters is ".*1 to 64$/);
  }
  assert.throws(() => parseUp(['--gateways', '17']), /1 to 16$/);
  for (const parse of [() => parseUp(['--colour']), () => parseDown(['now'])]) {
    assert.throws(parse, (error: Error) => !error.message.includes('\n') && /--help$/.test(error.message));
  }
});
