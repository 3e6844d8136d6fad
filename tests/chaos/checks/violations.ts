/** Finds the violations of a run: a pure function from observations to violations. */
import type { Observations, ObservedAccount, ObservedInjection, ObservedJob } from '../observations.ts';

export interface Violation {
  readonly kind:
    | 'lost'
    | 'duplicated'
    | 'billed twice'
    | 'not billed'
    | 'not notified'
    | 'stuck'
    | 'flawed'
    | 'refused'
    | 'slow recovery'
    | 'not struck';
  /** The id of a job, request, account or injection. */
  readonly subject: string;
  readonly explanation: string;
  /** Numbers of the injections that were active at that time. */
  readonly injections: readonly number[];
}

/** After a kill. After a freeze there may be a backlog, so that only the run's own timeout holds. */
export const MAX_RECOVERY_MS = 45_000;

/**
 * As promised, for interruptions and passing failures alike. Not imported, so that a changed constant is
 * detected here.
 */
const MAX_ATTEMPTS = 3;

export function findViolations(observations: Observations): Violation[] {
  const { jobs, accounts, injections, missedKinds, strangers, notArrived, redirectsFollowed } = observations;
  return [
    ...jobs.flatMap((job) => violationsOfJob(job, injections)),
    ...strangers.map((stranger) => violationOfStranger(stranger, observations)),
    ...accounts.flatMap((account) => violationsOfAccount(account, jobs)),
    ...injections.flatMap((injection) => violationsOfInjection(injection, injections)),
    ...missedKinds.map((kind) =>
      violation('not struck', kind, 'there was no time left for it: give --minutes'),
    ),
    ...notArrived.map((id) => {
      const cutOffBy = injections.filter(({ notifications }) => notifications.includes(id));
      return violation(
        'not notified',
        id,
        'cut off by a kill, and not sent again',
        cutOffBy.map(({ number }) => number),
      );
    }),
    ...(redirectsFollowed === 0
      ? []
      : [violation('flawed', 'webhooks', `${redirectsFollowed} notifications followed a redirect`)]),
  ];
}

function violation(
  kind: Violation['kind'],
  subject: string,
  explanation: string,
  injections: readonly number[] = [],
): Violation {
  return { kind, subject, explanation, injections };
}

/** Injections that were active between two times. */
function during(injections: readonly ObservedInjection[], fromMs: number, toMs: number): readonly number[] {
  return injections.filter((each) => each.fromMs <= toMs && each.toMs >= fromMs).map(({ number }) => number);
}

function violationsOfJob(job: ObservedJob, injections: readonly ObservedInjection[]): Violation[] {
  const { end, notifications, timesBilled } = job;
  const toMs = end.kind === 'completed' ? end.endedMs : Number.POSITIVE_INFINITY;
  const found: Violation[] = [];
  const subject = job.id ?? `request ${job.request}`;
  const add = (kind: Violation['kind'], explanation: string) =>
    found.push(violation(kind, subject, explanation, during(injections, job.postedMs, toMs)));
  switch (end.kind) {
    case 'refused':
      add('refused', `a valid request was refused: ${job.refusal}`);
      return found;
    case 'missing':
      add('lost', 'accepted with 201, and the API does not know it');
      return found;
    case 'stuck':
      add('stuck', `still ${end.status} long after the last recovery`);
      return found;
    case 'completed':
      for (const flaw of end.flaws) add('flawed', flaw);
      break;
    case 'failed':
      for (const flaw of end.flaws) add('flawed', flaw);
      if (end.code !== 'INTERNAL_ERROR')
        add('flawed', `failed with ${end.code}, which no fault of this run explains`);
      else if (end.attempts !== undefined && end.attempts < MAX_ATTEMPTS)
        add('flawed', `failed after ${end.attempts} attempts of ${MAX_ATTEMPTS}`);
      break;
    default:
      end satisfies never;
  }
  for (const type of ['split.completed', 'split.failed']) {
    const ids = notifications.filter((each) => each.type === type).map(({ id }) => id);
    if (ids.length > 1) add('duplicated', `${ids.length} events ${type}: ${ids.join(', ')}`);
    if (ids.length === 0 && type === `split.${end.kind}`) add('not notified', `there is no event ${type}`);
    if (ids.length > 0 && type !== `split.${end.kind}`)
      add('duplicated', `${type} was sent, and the job is ${end.kind}`);
  }
  if (timesBilled > 1) add('billed twice', `billing has counted it ${timesBilled} times`);
  if (timesBilled === 0) add('not billed', `${end.kind}, and billing has never counted it`);
  return found;
}

function violationOfStranger(
  { id, request }: Observations['strangers'][number],
  { jobs, injections }: Observations,
): Violation {
  const job = jobs.find((each) => each.request === request);
  const explanation =
    job?.id === undefined
      ? `listed by the API, but no request created it (${request})`
      : `request ${request} created ${job.id} and this one, under one Idempotency-Key`;
  return violation('duplicated', id, explanation, job && during(injections, job.postedMs, job.postedMs));
}

function violationsOfAccount(account: ObservedAccount, jobs: readonly ObservedJob[]): Violation[] {
  const own = jobs.filter((job) => job.account === account.name);
  const completed = own.flatMap(({ end }) => (end.kind === 'completed' ? [end] : []));
  const failed = own.filter(({ end }) => end.kind === 'failed').length;
  const seconds = completed.reduce((sum, end) => sum + end.sourceDurationSeconds, 0);
  const expected = {
    jobsCompleted: completed.length,
    jobsFailed: failed,
    minutesProcessed: Math.ceil(seconds / 60),
  };
  return (['jobsCompleted', 'jobsFailed', 'minutesProcessed'] as const)
    .filter((figure) => account[figure] !== expected[figure])
    .map((figure) =>
      violation(
        account[figure] > expected[figure] ? 'billed twice' : 'not billed',
        account.name,
        `its usage report says ${figure} ${account[figure]}, its jobs give ${expected[figure]}`,
      ),
    );
}

/** Since the last fault during the recovery, because another one may have hit the process that took over. */
function calmBeforeRecoveryMs(
  { fromMs, toMs }: ObservedInjection,
  injections: readonly ObservedInjection[],
): number {
  const faultsMs = injections
    .filter((each) => each.fromMs <= toMs && each.toMs >= fromMs)
    .map((each) => (each.recoveryMs === undefined ? toMs : Math.min(each.toMs - each.recoveryMs, toMs)));
  return toMs - Math.max(...faultsMs);
}

function violationsOfInjection(
  injection: ObservedInjection,
  injections: readonly ObservedInjection[],
): Violation[] {
  const { number, kind, target, isKill, recoveryMs, problem } = injection;
  const subject = `injection ${number} (${kind} of ${target})`;
  if (recoveryMs === undefined) {
    const found = problem?.startsWith('not struck') ? 'not struck' : 'slow recovery';
    return [violation(found, subject, problem ?? 'has not recovered', [number])];
  }
  if (!isKill || calmBeforeRecoveryMs(injection, injections) <= MAX_RECOVERY_MS) return [];
  const explanation = `recovered after ${(recoveryMs / 1_000).toFixed(1)} s; allowed: ${MAX_RECOVERY_MS / 1_000} s`;
  return [violation('slow recovery', subject, explanation, [number])];
}
