import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseOptions } from '../../deploy/provision/options.ts';
import { CHAOS, chaosArguments } from './command-line.ts';
import { FAULTS } from './faults/catalog.ts';

const parse = (args: readonly string[]) => chaosArguments(parseOptions(CHAOS, args));

test('a full run uses the goals and the lease of production', () => {
  const { jobs, injections, minutes, lease, short } = parse([]);
  assert.deepEqual([jobs, injections, minutes, lease, short], [2_000, 200, 40, 30, false]);
});

test('the short form injects every kind once, or each of those that are named', () => {
  assert.equal(parse(['--short']).injections, FAULTS.length);
  const { injections, only } = parse(['--short', '--only', 'kafka-kill,redis-kill']);
  assert.deepEqual([injections, only], [2, ['kafka-kill', 'redis-kill']]);
});

test('options override the defaults of the short form', () => {
  const args = ['--short', '--seed', '5', '--jobs', '7', '--lease', '9', '--rate', '0.5', '--at-once', '1'];
  const { seed, jobs, lease, rate, 'at-once': atOnce } = parse(args);
  assert.deepEqual([seed, jobs, lease, rate, atOnce], [5, 7, 9, 0.5, 1]);
});

test('a wrong argument gives a one-line error', () => {
  for (const args of [
    ['--only', 'splitter-kil'],
    ['--seed', 'x'],
    ['--jobs', '0'],
    ['--jobs', '1.5'],
    ['--rate', ''],
    ['--unknown'],
  ]) {
    assert.throws(() => parse(args), { name: 'StartError', message: /^[^\n]+$/ });
  }
});
