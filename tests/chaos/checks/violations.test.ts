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

test('a correct run has no violations', () => {
  assert.deepEqual(violationsOf({}), []);
});

test('an accepted job that the API does not know is lost, and the faults at its time are named', () => {
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

test('two different events of one end are a duplicate; a repeated event is not', () => {
  const again = { type: 'split.completed', id: 'msg_3' };
  assert.deepEqual(withJob({ notifications: [...completed.notifications, again] }), [
    ['duplicated', 'job_4'],
  ]);
});

test('a notification of another end than that of the job is a duplicate', () => {
  const other = { type: 'split.failed', id: 'msg_3' };
  assert.deepEqual(withJob({ notifications: [...completed.notifications, other] }), [
    ['duplicated', 'job_4'],
  ]);
});

test('an end without a notification is reported', () => {
  assert.deepEqual(withJob({ notifications: [] }), [['not notified', 'job_4']]);
});

test('a job that billing has counted twice or never is reported', () => {
  assert.deepEqual(withJob({ timesBilled: 2 }), [['billed twice', 'job_4']]);
  assert.deepEqual(withJob({ timesBilled: 0 }), [['not billed', 'job_4']]);
});

test('an account whose usage report exceeds the sum of its jobs is billed twice, one that falls short is not billed', () => {
  const [account] = sound.accounts;
  assert.ok(account);
  assert.deepEqual(violationsOf({ accounts: [{ ...account, jobsCompleted: 2 }] }), [
    ['billed twice', 'account 0'],
  ]);
  assert.deepEqual(violationsOf({ accounts: [{ ...account, minutesProcessed: 0 }] }), [
    ['not billed', 'account 0'],
  ]);
});

test('different segments, and a failure without an explanation, are reported', () => {
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

test('a job that has used up its attempts has a valid end, one that was given up earlier has not', () => {
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

test('a rejected request is reported once, and counts nowhere else', () => {
  const jobs: ObservedJob[] = [
    { ...completed, id: undefined, refusal: '401 UNAUTHORIZED', end: { kind: 'refused' }, timesBilled: 0 },
  ];
  assert.deepEqual(violationsOf({ jobs, accounts: nothingBilled }), [['refused', 'request 4']]);
});

test('recovery has a time limit, and a fault without an effect is reported', () => {
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

test('a fault during another recovery extends the time limit of that recovery', () => {
  const long = { ...kill, fromMs: 0, toMs: 80_000, recoveryMs: 80_000 };
  const kindsWith = (other: ObservedInjection) =>
    violationsOf({ injections: [long, other] }).map(([kind]) => kind);
  const other = { ...kill, number: 4, fromMs: 40_000, toMs: 60_000, recoveryMs: 20_000 };
  assert.deepEqual(kindsWith(other), []);
  assert.deepEqual(kindsWith({ ...other, fromMs: 30_000, toMs: 31_000, recoveryMs: 1_000 }), [
    'slow recovery',
  ]);
});

test('a kind that was never injected is reported', () => {
  assert.deepEqual(violationsOf({ missedKinds: ['kafka-kill'] }), [['not struck', 'kafka-kill']]);
});

test('a notification that a kill interrupted and that never arrived is reported with the kill', () => {
  const [found, ...others] = findViolations({ ...sound, notArrived: ['msg_1'] });
  assert.deepEqual([found?.kind, found?.subject, others], ['not notified', 'msg_1', []]);
  assert.deepEqual(found?.injections, [3, 4]);
});

test('a redirect that was followed is reported', () => {
  assert.deepEqual(violationsOf({ redirectsFollowed: 1 }), [['flawed', 'webhooks']]);
});
