import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseOptions } from '../../../deploy/provision/options.ts';
import { DEFAULT_SEEDS, DEFAULT_STEPS, SIMULATE, simulateArguments } from './command-line.ts';

const parse = (args: readonly string[]) => simulateArguments(parseOptions(SIMULATE, args));

describe('arguments of npm run verify -- simulate', () => {
  test('without arguments, every seed is run from the first on', () => {
    const args = parse([]);
    assert.equal(args.firstSeed, 1);
    assert.equal(args.seeds, DEFAULT_SEEDS);
    assert.equal(args.steps, DEFAULT_STEPS);
    assert.equal(args.flaw, undefined);
  });

  test('--seed runs only that seed, in one process', () => {
    const { firstSeed, seeds, processes } = parse(['--seed', '4711', '--seeds', '9']);
    assert.deepEqual({ firstSeed, seeds, processes }, { firstSeed: 4711, seeds: 1, processes: 1 });
  });

  for (const wrong of [
    ['--seeds', '0'],
    ['--steps', 'many'],
    ['--flaw', 'none'],
    ['--sed', '1'],
  ]) {
    test(`${wrong.join(' ')} is rejected with a message about it`, () => {
      assert.throws(() => parse(wrong), { name: 'StartError' });
    });
  }
});
