/** Freezes the consumers before the broker is lost, so that there are published but unhandled events. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { repositoryRoot } from '../../../deploy/launcher.mjs';
import { connectOperator } from '../../../deploy/operations/database-client.ts';
import { inSeconds, secondsUntil } from '../../harness/seconds-until.ts';
import type { Drill, DrillContext } from '../drill.ts';
import { awaitEnds, countUncounted, unnotified } from '../environment/accounting.ts';
import type { LoadJob } from '../environment/light-load.ts';
import { describeOutage, findOutage } from '../environment/outage.ts';
import { expectJobsDone } from './kafka-stopped.ts';

const JOBS_IN_FLIGHT = 3;
const SLOW_PACE_MS = 10_000;
const IN_PROGRESS_WITHIN_MS = 15_000;
const PUBLISHED_MS = 3_000;
const AWAY_MS = 10_000;
const CAUGHT_UP_WITHIN_MS = 90_000;
const ENDS_TIMEOUT_MS = 60_000;

export const kafkaDisks: Drill = {
  name: 'kafka-disks',
  title: 'Kafka lost with its disks',
  what: 'While usage and notifications of some jobs are in flight, the broker is killed and its disk deleted; an empty one starts.',
  async carryOut(context) {
    const { installation, engines, load, journal } = context;
    const { processes } = installation;
    const consumers = processes.names().filter((name) => /^(billing|webhooks)-/.test(name));
    await untilAllNotified(context);
    const slowJobs = await postSlowJobs(context);
    for (const name of consumers) processes.freeze(name);
    let inFlight: readonly LoadJob[];
    let lostAtMs: number;
    try {
      journal.did('billing and webhooks are frozen');
      inFlight = (await awaitEnds(load, slowJobs, ENDS_TIMEOUT_MS)).completed;
      // Until events are moved from the outbox to the bus.
      await sleep(PUBLISHED_MS);
      journal.expect(
        'jobs are completed whose events are not handled',
        inFlight.length === JOBS_IN_FLIGHT && unnotified(load, inFlight).length === JOBS_IN_FLIGHT,
        `${inFlight.length} jobs, ${unnotified(load, inFlight).length} of them not notified`,
      );
      lostAtMs = Date.now();
      await engines.wipe('kafka');
      journal.did('the broker is killed, and its disk deleted');
    } finally {
      for (const name of consumers) processes.thaw(name);
    }
    load.resume();
    await expectJobsDone({ load, journal });
    await sleep(Math.max(0, lostAtMs + AWAY_MS - Date.now()));
    await engines.start('kafka');
    journal.did('an empty broker starts');
    const backAtMs = Date.now();
    const since = load.jobs().filter(({ acceptedAtMs }) => acceptedAtMs >= lostAtMs);
    const { completed } = await awaitEnds(load, since, ENDS_TIMEOUT_MS);
    await secondsUntil(() => unnotified(load, completed).length === 0, CAUGHT_UP_WITHIN_MS);
    const caughtUp = unnotified(load, completed).length === 0 ? (Date.now() - backAtMs) / 1_000 : undefined;
    journal.expect(
      'the topics are created again, and later events are delivered',
      caughtUp !== undefined,
      `${completed.length} jobs, all notified ${inSeconds(caughtUp)} after the return`,
    );
    const lost = unnotified(load, inFlight);
    const uncounted = await settleUncounted(load);
    journal.expect(
      'events that were published and not handled are lost, and no others',
      lost.length === inFlight.length && uncounted === inFlight.length,
      `${lost.length} of ${inFlight.length} notifications, the usage of ${uncounted} jobs`,
    );
    const named = await findLostEvents(engines.endpoints().databaseUrl);
    journal.expect(
      'the query of docs/operations/drills.md names their jobs, and no others',
      named.length === lost.length && lost.every(({ id }) => named.includes(id)),
      `${named.length} jobs`,
    );
    const outage = findOutage(load.requests, lostAtMs);
    journal.saw(describeOutage(outage));
    journal.measure(
      'Events lost',
      `${lost.length} notifications and the usage of ${uncounted} jobs, of ${inFlight.length} jobs whose events were in flight`,
    );
    journal.measure('All waiting events are delivered after its return', inSeconds(caughtUp));
    journal.measure('Requests that failed', `${outage.failed} of ${outage.total}`);
    return { uncountedJobs: uncounted, unnotifiedJobs: new Set(lost.map(({ number }) => number)) };
  },
};

/** Nothing else is in flight afterwards. The load stays paused. */
async function untilAllNotified({ load }: DrillContext): Promise<void> {
  load.pause();
  const { completed } = await awaitEnds(load, load.jobs(), ENDS_TIMEOUT_MS);
  await secondsUntil(
    async () => unnotified(load, completed).length === 0 && (await countUncounted(load)) === 0,
    CAUGHT_UP_WITHIN_MS,
  );
}

/** Accepted before the freeze, because their acceptance calls webhooks. */
async function postSlowJobs({ load }: DrillContext): Promise<readonly LoadJob[]> {
  const posted = await Promise.all(Array.from({ length: JOBS_IN_FLIGHT }, () => load.post(SLOW_PACE_MS)));
  const jobs = posted.filter((job) => job !== undefined);
  const areInProgress = async () => {
    const answers = await Promise.all(jobs.map(({ id }) => load.account.client.getSplit(id)));
    return answers.every(({ status }) => status === 'processing');
  };
  await secondsUntil(areInProgress, IN_PROGRESS_WITHIN_MS);
  // Until their start is published, too.
  await sleep(PUBLISHED_MS);
  return jobs;
}

/** Jobs whose end billing or webhooks has not received, according to the operators' query. */
async function findLostEvents(databaseUrl: string): Promise<string[]> {
  const page = readFileSync(join(repositoryRoot, 'docs/operations/drills.md'), 'utf8');
  const [, query] = /<!-- lost-events -->\n```sql\n([^`]+)```/.exec(page) ?? [];
  if (query === undefined)
    throw new Error('docs/operations/drills.md has no query after <!-- lost-events -->');
  await using client = await connectOperator(databaseUrl);
  const { rows } = await client.query<{ id: string }>(query);
  return rows.map(({ id }) => id);
}

/** The count once it no longer changes. */
async function settleUncounted(load: DrillContext['load']): Promise<number> {
  load.pause();
  let former = Number.NaN;
  let uncounted = await countUncounted(load);
  while (uncounted !== former) {
    former = uncounted;
    await sleep(5_000);
    uncounted = await countUncounted(load);
  }
  load.resume();
  return uncounted;
}
