import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { defaultStateDir, parseDown, parseRunWith, parseUp } from './command-line.ts';
import { engineNames } from './engine.ts';

test('up starts everything in the default folder', () => {
  assert.deepEqual(parseUp([]), { help: false, dir: defaultStateDir, only: engineNames });
});

test('up accepts a folder and a choice of engines', () => {
  assert.deepEqual(parseUp(['--dir', 'somewhere', '--only=kafka,postgres']), {
    help: false,
    dir: resolve('somewhere'),
    only: ['postgres', 'kafka'],
  });
});

test('an unknown engine is named together with the known ones', () => {
  assert.throws(() => parseUp(['--only', 'redis,mongo']), {
    name: 'StartError',
    message: /mongo.*postgres, redis, kafka, versitygw/,
  });
});

test('an unknown option is rejected with the usage', () => {
  assert.throws(() => parseDown(['--keepdata']), {
    name: 'StartError',
    message: /see npm run down -- engines --help/,
  });
});

test('down deletes the data, and keeps it with --keep-data', () => {
  assert.equal(parseDown([]).keepData, false);
  assert.equal(parseDown(['--keep-data']).keepData, true);
});

test('everything after -- is the command, including options and further --', () => {
  assert.deepEqual(parseRunWith(['--only', 'redis', '--', 'npm', 'test', '--', '--only']), {
    only: ['redis'],
    command: 'npm',
    args: ['test', '--', '--only'],
  });
});

test('run-with without a command is rejected', () => {
  for (const args of [[], ['npm', 'test'], ['--']]) {
    assert.throws(() => parseRunWith(args), { name: 'StartError', message: /no command/ });
  }
});
