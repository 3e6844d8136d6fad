import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTestArguments } from './test-arguments.ts';

test('file names and flags of the test runner may be in any order', () => {
  assert.deepEqual(parseTestArguments(['kafka', '--test-name-pattern', 'a group', '--test-only', 'redis']), {
    names: ['kafka', 'redis'],
    flags: ['--test-name-pattern=a group', '--test-only'],
  });
  assert.deepEqual(parseTestArguments(['--test-name-pattern=lease']), {
    names: [],
    flags: ['--test-name-pattern=lease'],
  });
});
