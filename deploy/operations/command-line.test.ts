import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseOperationsCommand } from './command-line.ts';

const parse = (...args: string[]) => parseOperationsCommand(args, '/work', new Date('2026-11-22T06:00:00Z'));

test('the commands of an operator are parsed', () => {
  assert.deepEqual(parse('backup', 'monday'), { kind: 'backup', folder: '/work/monday' });
  assert.deepEqual(parse('backup', '--into', '/backups', '--keep', '14'), {
    kind: 'backup',
    folder: '/backups/2026-11-22T06-00-00-000Z',
    series: { path: '/backups', keep: 14 },
  });
  const restored = { kind: 'restore', folder: '/work/monday', replace: false };
  assert.deepEqual(parse('restore', '/work/monday'), restored);
  assert.deepEqual(parse('restore', '--replace', 'monday'), { ...restored, replace: true });
  assert.deepEqual(parse('restore', '--archived'), { kind: 'settle-archived' });
  assert.deepEqual(parse('reconcile', '--apply'), { kind: 'reconcile', apply: true, all: false });
  assert.deepEqual(parse('reconcile', '--all'), { kind: 'reconcile', apply: false, all: true });
  assert.deepEqual(parse('reseal', 'webhooks'), { kind: 'reseal', service: 'webhooks' });
});

for (const args of [
  [],
  ['backup'],
  ['backup', 'a', 'b'],
  ['backup', 'a', '--replace'],
  ['backup', '--into', '/backups'],
  ['backup', '--into', '/backups', '--keep', '0'],
  ['backup', 'a', '--into', '/backups', '--keep', '2'],
  ['restore'],
  ['restore', 'a', '--archived'],
  ['reconcile', 'a'],
  ['reseal', 'jobs'],
]) {
  test(`shows the usage: ${JSON.stringify(args)}`, () => {
    assert.throws(() => parse(...args), { name: 'StartError', message: /usage: npm run operate -- backup/ });
  });
}
