import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Observations, ObservedInjection, ObservedJob } from '../observations.ts';
import { findViolations, MAX_RECOVERY_MS } from './violations.ts';

const completed: ObservedJob = {
  request: 4,
  id: 'job_4',
  refusal: undefined,
  account: 'account 0',
  postedMs: 1_000,
  end: { kind: 'completed', endedMs: 9_000, sourceDurationSeconds: 48, flaws: [] },
  notifications: [
    { type: 'split.processing', id: 'msg_1' },
    { type: 'split.completed', id: 'msg_2' },
  ],
  timesBilled: 1,
};
const kill: ObservedInjection = {
  number: 3,
  kind: 'splitter-kill',
  target: 'splitter-0',
  isKill: true,
  fromMs: 5_000,
  toMs: 12_000,
  runningJobs: 2,
  recoveryMs: 7_000,
  notifications: ['msg_1'],
  problem: undefined,
};
const sound: Observations = {
  injections: [kill, { ...kill, number: 4, fromMs: 20_000, toMs: 21_000 }],
  jobs: [completed],
  missedKinds: [],
  accounts: [{ name: 'account 0', jobsCompleted: 1, jobsFailed: 0, minutesProcessed: 1 }],
  strangers: [],
  notArrived: [],
  redirectsFollowed: 0,
};

function violationsOf(change: Partial<Observations>): [kind: string, subject: string][] {
  return findViolations({ ...sound, ...change }).map(({ kind, subject }) => [kind, subject]);
}

const withJob = (change: Partial<ObservedJob>) => violationsOf({ jobs: [{ ...completed, ...change }] });
const nothingBilled = [{ name: 'account 0', jobsCompleted: 0, jobsFailed: 0, minutesProcessed: 0 }];

test('a sound run violates nothing', () => {
  assert.deepEqual(violationsOf({}), []);
});

test('an accepted job that the API does not know is lost, with the faults of its time named', () => {
  const violations = findViolations({
    ...sound,
    jobs: [{ ...completed, end: { kind: 'missing' } }],
    accounts: nothingBilled,
  });
  assert.deepEqual(
    violations.map(({ kind, subject, injections }) => [kind, subject, injections]),
    [['lost', 'job_4', [3, 4]]],
  );
});

test('a job without an end is stuck', () => {
  const jobs: ObservedJob[] = [{ ...completed, end: { kind: 'stuck', status: 'queued' }, timesBilled: 0 }];
  assert.deepEqual(violationsOf({ jobs, accounts: nothingBilled }), [['stuck', 'job_4']]);
});

test('a second job of the same request is a duplicate', () => {
  const violations = findViolations({ ...sound, strangers: [{ id: 'job_9', request: 4 }] });
  assert.deepEqual([violations[0]?.kind, violations[0]?.subject], ['duplicated', 'job_9']);
  assert.match(violations[0]?.explanation ?? '', /job_4/);
});

test('two events of one end are a duplicate; the same event twice is not in the observations', () => {
  const again = { type: 'split.completed', id: 'msg_3' };
  assert.deepEqual(withJob({ notifications: [...completed.notifications, again] }), [
    ['duplicated', 'job_4'],
  ]);
});

test('a notification of an end that the job does not have is a duplicate', () => {
  const other = { type: 'split.failed', id: 'msg_3' };
  assert.deepEqual(withJob({ notifications: [...completed.notifications, other] }), [
    ['duplicated', 'job_4'],
  ]);
});

test('an end without a notification', () => {
  assert.deepEqual(withJob({ notifications: [] }), [['not notified', 'job_4']]);
});

test('a job that billing has counted twice, or never', () => {
  assert.deepEqual(withJob({ timesBilled: 2 }), [['billed twice', 'job_4']]);
  assert.deepEqual(withJob({ timesBilled: 0 }), [['not billed', 'job_4']]);
});

test("an account whose usage report exceeds its jobs' sum is billed twice, one that falls short is not billed", () => {
  const [account] = sound.accounts;
  assert.ok(account);
  assert.deepEqual(violationsOf({ accounts: [{ ...account, jobsCompleted: 2 }] }), [
    ['billed twice', 'account 0'],
  ]);
  assert.deepEqual(violationsOf({ accounts: [{ ...account, minutesProcessed: 0 }] }), [
    ['not billed', 'account 0'],
  ]);
});

test('segments that differ, and a failure that nothing explains', () => {
  const { end } = completed;
  assert.ok(end.kind === 'completed');
  assert.deepEqual(withJob({ end: { ...end, flaws: ['segment 1 differs'] } }), [['flawed', 'job_4']]);
  const failed = violationsOf({
    jobs: [
      {
        ...completed,
        end: { kind: 'failed', code: 'UNSUPPORTED_MEDIA', attempts: 1, flaws: [] },
        notifications: [{ type: 'split.failed', id: 'msg_2' }],
      },
    ],
    accounts: [{ name: 'account 0', jobsCompleted: 0, jobsFailed: 1, minutesProcessed: 0 }],
  });
  assert.deepEqual(failed, [['flawed', 'job_4']]);
});

test('a job that has used up its attempts is at an end like another, one that was given up before is not', () => {
  const failedAfter = (attempts: number | undefined, ...flaws: readonly string[]) =>
    violationsOf({
      jobs: [
        {
          ...completed,
          end: { kind: 'failed', code: 'INTERNAL_ERROR', attempts, flaws },
          notifications: [{ type: 'split.failed', id: 'msg_2' }],
        },
      ],
      accounts: [{ name: 'account 0', jobsCompleted: 0, jobsFailed: 1, minutesProcessed: 0 }],
    });
  assert.deepEqual(failedAfter(3), []);
  assert.deepEqual(failedAfter(undefined), []);
  assert.deepEqual(failedAfter(2), [['flawed', 'job_4']]);
  assert.deepEqual(failedAfter(3, 'manifest.json is left in its bucket'), [['flawed', 'job_4']]);
});

test('a refused request is reported once, and counts nowhere else', () => {
  const jobs: ObservedJob[] = [
    { ...completed, id: undefined, refusal: '401 UNAUTHORIZED', end: { kind: 'refused' }, timesBilled: 0 },
  ];
  assert.deepEqual(violationsOf({ jobs, accounts: nothingBilled }), [['refused', 'request 4']]);
});

test('recovery has a bound, and a fault that did not strike proves nothing', () => {
  const lasting = { fromMs: 0, toMs: MAX_RECOVERY_MS + 1 };
  const kindOf = (change: Partial<ObservedInjection>) =>
    violationsOf({ injections: [{ ...kill, ...lasting, ...change }] }).map(([kind]) => kind);
  assert.deepEqual(kindOf({ recoveryMs: MAX_RECOVERY_MS }), []);
  assert.deepEqual(kindOf({ recoveryMs: MAX_RECOVERY_MS + 1 }), ['slow recovery']);
  assert.deepEqual(kindOf({ isKill: false, recoveryMs: MAX_RECOVERY_MS + 1 }), []);
  assert.deepEqual(
    kindOf({ isKill: false, recoveryMs: undefined, problem: 'has not recovered: jobs is ready' }),
    ['slow recovery'],
  );
  assert.deepEqual(kindOf({ recoveryMs: undefined, problem: 'not struck: no commit came' }), ['not struck']);
});

test('a fault that strikes while another recovers gives it its time anew', () => {
  const long = { ...kill, fromMs: 0, toMs: 80_000, recoveryMs: 80_000 };
  const kindsWith = (other: ObservedInjection) =>
    violationsOf({ injections: [long, other] }).map(([kind]) => kind);
  const other = { ...kill, number: 4, fromMs: 40_000, toMs: 60_000, recoveryMs: 20_000 };
  assert.deepEqual(kindsWith(other), []);
  assert.deepEqual(kindsWith({ ...other, fromMs: 30_000, toMs: 31_000, recoveryMs: 1_000 }), [
    'slow recovery',
  ]);
});

test('a kind that never came', () => {
  assert.deepEqual(violationsOf({ missedKinds: ['kafka-kill'] }), [['not struck', 'kafka-kill']]);
});

test('a notification that a kill cut off, and that never arrived, with the kill named', () => {
  const [found, ...others] = findViolations({ ...sound, notArrived: ['msg_1'] });
  assert.deepEqual([found?.kind, found?.subject, others], ['not notified', 'msg_1', []]);
  assert.deepEqual(found?.injections, [3, 4]);
});

test('a redirect that was followed', () => {
  assert.deepEqual(violationsOf({ redirectsFollowed: 1 }), [['flawed', 'webhooks']]);
});
