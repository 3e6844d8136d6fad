import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { parseChaos } from './command-line.ts';

const KINDS = ['splitter-kill', 'kafka-kill', 'redis-kill'];

test('a full run keeps the goals and the lease of production', () => {
  const { jobs, injections, minutes, leaseSeconds, isShort } = parseChaos([], KINDS);
  assert.deepEqual([jobs, injections, minutes, leaseSeconds, isShort], [2_000, 200, 40, 30, false]);
});

test('the short form injects every kind once, or each of those that are named', () => {
  assert.equal(parseChaos(['--short'], KINDS).injections, 3);
  const { injections, only } = parseChaos(['--short', '--only', 'kafka-kill,redis-kill'], KINDS);
  assert.deepEqual([injections, only], [2, ['kafka-kill', 'redis-kill']]);
});

test('options override the defaults of the short form', () => {
  const args = ['--short', '--seed', '5', '--jobs', '7', '--lease', '9', '--rate', '0.5', '--at-once', '1'];
  const { seed, jobs, leaseSeconds, jobsPerSecond, atOnce } = parseChaos(args, KINDS);
  assert.deepEqual([seed, jobs, leaseSeconds, jobsPerSecond, atOnce], [5, 7, 9, 0.5, 1]);
});

test('a wrong argument gives an error of one line', () => {
  for (const args of [
    ['--only', 'splitter-kil'],
    ['--seed', 'x'],
    ['--jobs', '0'],
    ['--jobs', '1.5'],
    ['--rate', ''],
    ['--unknown'],
  ]) {
    assert.throws(
      () => parseChaos(args, KINDS),
      (error) => {
        assert.ok(error instanceof StartError);
        assert.doesNotMatch(error.message, /\n/);
        return true;
      },
    );
  }
});
