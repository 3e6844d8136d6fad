import assert from 'node:assert/strict';
import { test } from 'node:test';
import { helpOf, parseOptions } from '../../deploy/provision/options.ts';
import { DRILLS } from './catalog.ts';
import { DRILLS_COMMAND, drillArguments } from './command-line.ts';

const NAMES = ['redis', 'kafka-disks'];
const parse = (args: readonly string[]) => drillArguments(parseOptions(DRILLS_COMMAND, args));

test('all drills run by default, with outages of more than a minute', () => {
  assert.deepEqual(parse([]), { only: undefined, outageMs: 75_000 });
  const args = ['--only', 'redis,kafka-disks', '--outage-seconds', '600', '--report', 'a.md'];
  assert.deepEqual(parse(args), { only: NAMES, outageMs: 600_000 });
  assert.equal(parseOptions(DRILLS_COMMAND, args).report, 'a.md');
});

test('a wrong argument gives a one-line error', () => {
  for (const args of [
    ['--only', 'kafka'],
    ['--outage-seconds', '60'],
    ['--outage-seconds', 'x'],
    ['--short'],
  ]) {
    assert.throws(() => parse(args), { name: 'StartError', message: /^[^\n]+$/ });
  }
});

test('every drill has its own name, and the help lists it', () => {
  const names = DRILLS.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  for (const name of names) assert.ok(helpOf(DRILLS_COMMAND).includes(name));
});
