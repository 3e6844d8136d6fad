import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseOptions } from '../provision/options.ts';
import { DOWN, UP } from './command-line.ts';

const parseUp = (...args: string[]) => parseOptions(UP, args);

test('two gateways, three splitters and restarts by default', () => {
  const flags = { detach: false, 'no-restart': false, 'keep-engines': false, help: false };
  assert.deepEqual(parseUp(), { gateways: 2, splitters: 3, ...flags });
  const given = parseUp('--splitters', '64', '--no-restart', '--detach', '--keep-engines');
  const all = { detach: true, 'no-restart': true, 'keep-engines': true, help: false };
  assert.deepEqual(given, { gateways: 2, splitters: 64, ...all });
  assert.deepEqual(parseOptions(DOWN, ['--delete-data']), { 'delete-data': true, help: false });
});

test('an error is one line with the allowed values', () => {
  for (const value of ['0', '65', 'two', '1.5', '']) {
    const message = /^StartError: --splitters is ".*1 to 64, whole numbers$/;
    assert.throws(() => parseUp(`--splitters=${value}`), message);
  }
  assert.throws(() => parseUp('--gateways', '17'), /1 to 16, whole numbers$/);
  for (const parse of [() => parseUp('--colour'), () => parseOptions(DOWN, ['now'])]) {
    assert.throws(parse, (error: Error) => !error.message.includes('\n') && /--help$/.test(error.message));
  }
});
