import assert from 'node:assert/strict';
import { access, mkdtempDisposable, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { until } from '@audiosplit/chassis/testing/until';
import { isAlive } from '../../provision/process-identity.ts';
import {
  describeState,
  type ManagedProcess,
  type ProcessSpec,
  restartDelayMs,
  startManagedProcess,
} from './managed-process.ts';
import { createProcessLog } from './process-log.ts';

const folder = forSuite(() => mkdtempDisposable(join(tmpdir(), 'audiosplit-managed-')));

const GOES_ON = 'setInterval(() => {}, 1_000)';
const never = async () => {
  throw new Error('not yet');
};
let count = 0;

/** Runs a program of one line and records its states. */
function start(
  program: string,
  options: { readonly restart?: boolean; readonly spec?: Partial<ProcessSpec> } = {},
): { readonly managed: ManagedProcess; readonly states: string[] } {
  count += 1;
  const states: string[] = [];
  const spec: ProcessSpec = {
    name: `process-${count}`,
    command: process.execPath,
    args: ['-e', program],
    env: {},
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 10_000,
    check: async () => undefined,
    ...options.spec,
  };
  const managed = startManagedProcess(spec, {
    log: createProcessLog(join(folder.path, `${spec.name}.log`)),
    restart: options.restart ?? false,
    onChange: (each) => states.push(describeState(each.state())),
  });
  return { managed, states };
}

test('a process becomes ready, and stops on the signal', async () => {
  const { managed, states } = start(`process.on('SIGTERM', () => process.exit(3)); ${GOES_ON}`);
  await managed.firstReady;
  const identity = managed.identity();
  assert.ok(identity !== null && isAlive(identity));
  // The signal kills it while it has no handler yet.
  await until(() => managed.state().kind === 'ready');
  const code = await managed.stop();
  assert.ok(code === 3 || code === null);
  assert.equal(isAlive(identity), false);
  assert.deepEqual(states.slice(0, 3), ['starting', 'ready', 'stopping']);
  assert.equal(managed.restarts(), 0);
});

test('a process that ignores the signal is killed, even while it is frozen', async () => {
  const ready = join(folder.path, 'ready');
  const { managed } = start(
    `process.on('SIGTERM', () => {}); require('fs').writeFileSync(${JSON.stringify(ready)}, ''); ${GOES_ON}`,
    { spec: { stopTimeoutMs: 200, check: () => access(ready) } },
  );
  await managed.firstReady;
  managed.signal('SIGSTOP');
  assert.equal(await managed.stop(), null);
  assert.equal(describeState(managed.state()), 'stopped, killed by SIGKILL');
});

test('a process that dies is restarted, as the same one, and is ready again', async () => {
  const { managed, states } = start(GOES_ON, { restart: true });
  await managed.firstReady;
  const first = managed.identity();
  managed.signal('SIGKILL');
  await until(() => managed.restarts() === 1 && managed.state().kind === 'ready');
  assert.notEqual(managed.identity()?.pid, first?.pid);
  assert.deepEqual(states, ['starting', 'ready', 'killed by SIGKILL, again in 0.5 s', 'starting', 'ready']);
  await managed.stop();
});

test('without restarts it stays dead, and stop() resolves', async () => {
  const { managed } = start(GOES_ON);
  await managed.firstReady;
  managed.signal('SIGKILL');
  await until(() => managed.state().kind === 'dead');
  assert.equal(managed.identity(), null);
  assert.equal(await managed.stop(), null);
});

test('a process that ends before it is ready is reported with its exit code', async () => {
  const { managed } = start('process.exit(7)', { spec: { check: never } });
  await assert.rejects(managed.firstReady, /ended with 7 before it was ready/);
  const missing = start('', { spec: { command: join(folder.path, 'missing'), check: never } });
  await assert.rejects(missing.managed.firstReady, /cannot be started: .*ENOENT/);
});

test('with restarts a start may fail twice, but not a third time', async () => {
  const marks = join(folder.path, 'starts');
  const program = (failures: number) =>
    `const { appendFileSync, statSync } = require('fs'); appendFileSync(${JSON.stringify(marks)}, '.');
     if (statSync(${JSON.stringify(marks)}).size <= ${failures}) process.exit(1); ${GOES_ON}`;
  const check = async () => {
    if ((await stat(marks)).size <= 2) await never();
  };
  const lucky = start(program(2), { restart: true, spec: { check } });
  await lucky.managed.firstReady;
  assert.equal(lucky.managed.restarts(), 2);
  await lucky.managed.stop();
  const unlucky = start('process.exit(1)', { restart: true, spec: { check: never } });
  await assert.rejects(unlucky.managed.firstReady, /ended with 1 before it was ready/);
  assert.equal(unlucky.managed.restarts(), 2);
  await unlucky.managed.stop();
});

test('a later failure of the check and its recovery change the state', async () => {
  let problem: string | undefined;
  const check = async () => {
    if (problem !== undefined) throw new Error(problem);
  };
  const { managed, states } = start(GOES_ON, { spec: { check } });
  await managed.firstReady;
  problem = 'no store';
  await until(() => managed.state().kind === 'failing');
  problem = undefined;
  await until(() => managed.state().kind === 'ready');
  await managed.stop();
  assert.deepEqual(states.slice(0, 4), ['starting', 'ready', 'not ready: no store', 'ready']);
});

describe('a process that is replaced', () => {
  /** Appends its PLACE to the file MARKS at its start and on SIGTERM. */
  const PROGRAM = `const { appendFileSync, writeFileSync } = require('fs'); const { MARKS, PLACE } = process.env;
    const note = (what) => appendFileSync(MARKS, what + PLACE + ' ');
    process.on('SIGTERM', () => { note('left'); process.exit(0); });
    note('began'); writeFileSync(MARKS + PLACE, String(process.pid)); ${GOES_ON}`;
  const runsIn = (file: string, place: string) => async () => {
    process.kill(Number(await readFile(file + place, 'utf8')), 0);
  };
  const replaceable = (spec: Partial<ProcessSpec> = {}, restart = false) => {
    const file = join(folder.path, `marks-${count + 1}`);
    const started = start(PROGRAM, {
      restart,
      spec: {
        env: { MARKS: file, PLACE: 'A' },
        check: runsIn(file, 'A'),
        spare: { env: { PLACE: 'B' }, check: runsIn(file, 'B') },
        ...spec,
      },
    });
    return { ...started, marks: () => readFile(file, 'utf8') };
  };

  test('stops once its successor is ready at the other port, and the successor can be replaced again', async () => {
    const { managed, states, marks } = replaceable();
    await managed.firstReady;
    const first = managed.identity();
    const { left } = await managed.replace();
    assert.notEqual(managed.identity()?.pid, first?.pid);
    assert.equal(await left, 0);
    assert.equal(await marks(), 'beganA beganB leftA ');
    assert.deepEqual(states, ['starting', 'ready', 'replacing', 'ready', 'ready']);
    await (await managed.replace()).left;
    assert.equal(await marks(), 'beganA beganB leftA beganA leftB ');
    assert.equal(managed.identities().length, 1);
    assert.equal(managed.restarts(), 0);
    await managed.stop();
    assert.deepEqual(managed.identities(), []);
  });

  test('continues when its successor cannot be started', async () => {
    const { managed } = replaceable({ spare: { env: { NODE_OPTIONS: '--no-such-flag' }, check: never } });
    await managed.firstReady;
    const first = managed.identity();
    await assert.rejects(managed.replace(), /is not replaced: ended with 9$/);
    assert.deepEqual(managed.identity(), first);
    await until(() => managed.state().kind === 'ready');
    await managed.stop();
  });

  test('is restarted at its new port if it dies there', async () => {
    const { managed, marks } = replaceable({}, true);
    await managed.firstReady;
    await (await managed.replace()).left;
    managed.signal('SIGKILL');
    await until(() => managed.restarts() === 1 && managed.state().kind === 'ready');
    assert.equal(await marks(), 'beganA beganB leftA beganB ');
    await managed.stop();
  });

  test('stops its successor too when it is stopped during the replacement', async () => {
    const { managed } = replaceable({ spare: { env: { PLACE: 'B' }, check: never } });
    await managed.firstReady;
    const refused = assert.rejects(managed.replace(), /is to stop/);
    await until(() => managed.identities().length === 2);
    const both = managed.identities();
    await managed.stop();
    await refused;
    assert.deepEqual(both.map(isAlive), [false, false]);
  });

  test('requires a second port', async () => {
    const { managed } = start(GOES_ON);
    assert.equal(managed.isReplaceable, false);
    await managed.firstReady;
    await assert.rejects(managed.replace(), /has no second port/);
    await managed.stop();
  });
});

test('the pause before a restart doubles up to half a minute', () => {
  assert.deepEqual(
    [1, 2, 3, 6, 7, 8, 100].map(restartDelayMs),
    [500, 1_000, 2_000, 16_000, 30_000, 30_000, 30_000],
  );
});
