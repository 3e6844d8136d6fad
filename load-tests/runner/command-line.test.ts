import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { helpOf, parseOptions } from '../../deploy/provision/options.ts';
import { PROFILES } from '../profiles/catalog.ts';
import { defaultReport, LOAD, loadRun, RESULTS_FOLDER } from './command-line.ts';

const run = (args: readonly string[], env: Record<string, string> = {}) =>
  loadRun(parseOptions(LOAD, args), env);

describe('npm run load', () => {
  test('takes a profile, and starts two gateways for it', () => {
    const { profile, minutes, scale, target, report } = run(['steady']);
    assert.deepEqual([profile.name, minutes, scale, report], ['steady', 5, 1, undefined]);
    assert.deepEqual(target, { kind: 'own', gateways: 2, splitters: 2 });
  });

  test('takes how long, how much and where to', () => {
    const { minutes, scale, report } = run('soak --minutes 1.5 --scale 3 --report /tmp/soak.html'.split(' '));
    assert.deepEqual([minutes, scale, report], [1.5, 3, '/tmp/soak']);
  });

  test('takes a running installation, with keys from the environment alone', () => {
    const { target } = run(['noisy-neighbour', '--base-url', 'https://api.example.com'], {
      API_KEY: 'one',
      NEIGHBOUR_API_KEY: 'two',
      SLOW_API_KEY: 'three',
    });
    assert.deepEqual(target, {
      kind: 'given',
      baseUrl: 'https://api.example.com',
      sourceUrl: 'https://api.example.com/samples/tour.mp3',
      apiKeys: { caller: 'one', neighbour: 'two', slow: 'three' },
    });
  });

  test('floods as hard as `--flood` says, and five times the limit otherwise', () => {
    assert.equal(run(['noisy-neighbour']).floodTimes, 5);
    assert.equal(run(['noisy-neighbour', '--flood', '20']).floodTimes, 20);
  });

  for (const [args, message] of [
    [[], /give one profile: smoke, steady/],
    [['storm'], /give one profile/],
    [['smoke', 'soak'], /give one profile/],
    [['smoke', '--minutes', '0'], /--minutes is "0"; allowed: 0\.25 to 1440/],
    [['limiter', '--minutes', '1.5'], /whole minutes/],
    [['smoke', '--gateways', '1.5'], /whole numbers/],
    [['smoke', '--splitters', '65'], /allowed: 1 to 64/],
    [['smoke', '--speed', '2'], /--help/],
    [['smoke', '--base-url', 'ftp://example.com'], /--base-url is/],
    [['smoke', '--base-url', 'http://example.com/api'], /scheme, host and port/],
    [['smoke', '--base-url', 'http://example.com'], /needs a key in API_KEY/],
    [['noisy-neighbour', '--base-url', 'http://example.com'], /API_KEY/],
    [['noisy-neighbour', '--flood', '0'], /--flood is "0"; allowed: 1 to 100/],
    [['limiter', '--flood', '5'], /--flood is for noisy-neighbour, not for limiter/],
  ] as const) {
    test(`says what to change: ${args.join(' ')}`, () => {
      assert.throws(() => run(args), { name: 'StartError', message });
    });
  }

  test('explains every profile', () => {
    assert.equal(parseOptions(LOAD, ['--help']).help, true);
    assert.match(helpOf(LOAD), /^Usage: npm run load -- PROFILE \[options\]/);
    for (const { name } of PROFILES) assert.ok(helpOf(LOAD).includes(`  ${name} `));
  });

  test('names each report after its profile and its time', () => {
    assert.equal(
      defaultReport('smoke', new Date('2026-11-21T12:34:56.789Z')),
      join(RESULTS_FOLDER, 'smoke-2026-11-21T12-34-56'),
    );
  });
});
