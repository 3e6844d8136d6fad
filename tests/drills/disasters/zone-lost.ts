import { openJobsDatabase } from '../../harness/jobs-database.ts';
import { inSeconds, secondsUntil } from '../../harness/seconds-until.ts';
import type { Drill } from '../drill.ts';
import { LEASE_SECONDS } from '../environment/drill-installation.ts';
import { describeOutage, findOutage } from '../environment/outage.ts';

const SLOW_JOBS = 4;
const SLOW_PACE_MS = 20_000;
/** Less than the sources take. */
const IN_PROGRESS_WITHIN_MS = 10_000;
/** A lease plus one interval of the reaper. */
const ELSEWHERE_WITHIN_SECONDS = LEASE_SECONDS + 5;
const BACK_WITHIN_MS = 90_000;
/** HAProxy checks health every 500 ms, and two failures mark a server down. */
const NOTICED_WITHIN_MS = 3_000;

export const zoneLost: Drill = {
  name: 'zone',
  title: 'A zone lost',
  what: 'One of two gateways, one of two of each service and one of two splitters, with jobs in progress, are killed at the same moment and stay down until other splitters have the jobs; the engines are not of that zone.',
  async carryOut({ installation, engines, zone, load, journal }) {
    await using jobs = openJobsDatabase(() => engines.endpoints().databaseUrl);
    const { processes } = installation;
    const running = () => jobs.running(processes.pid('splitter-0') ?? 0);
    await Promise.all(Array.from({ length: SLOW_JOBS }, () => load.post(SLOW_PACE_MS)));
    await secondsUntil(async () => (await running()).length > 1, IN_PROGRESS_WITHIN_MS);
    const inProgress = await running();
    const lostAtMs = Date.now();
    const lost = zone.lose(processes);
    journal.did(`SIGKILL to ${[...lost.keys()].join(', ')}`);
    journal.expect('its splitter had jobs in progress', inProgress.length > 0, `${inProgress.length} jobs`);
    const hasMovedOn = async (): Promise<boolean> =>
      (await Promise.all(inProgress.map((job) => jobs.hasMovedOn(job)))).every((moved) => moved);
    const elsewhere = await secondsUntil(hasMovedOn, 2 * ELSEWHERE_WITHIN_SECONDS * 1_000);
    journal.expect(
      `other splitters have them within ${ELSEWHERE_WITHIN_SECONDS} s`,
      elsewhere !== undefined && elsewhere <= ELSEWHERE_WITHIN_SECONDS,
      `after ${inSeconds(elsewhere)}`,
    );
    const created = load.requests.find(
      ({ kind, beganAtMs, status }) => kind === 'create' && beganAtMs > lostAtMs && status === 201,
    );
    const outage = findOutage(load.requests, lostAtMs);
    const later = findOutage(load.requests, lostAtMs + NOTICED_WITHIN_MS);
    journal.expect(
      `after ${NOTICED_WITHIN_MS / 1_000} s no request fails while half of everything is down`,
      later.failed === 0,
      describeOutage(later),
    );
    journal.saw(`in all ${describeOutage(outage)}`);
    zone.restore();
    journal.did('the zone comes back');
    const isBack = (name: string) => processes.isReady(name) && processes.pid(name) !== lost.get(name);
    await journal.expectWithin(BACK_WITHIN_MS, 'everything is there again', () =>
      processes.names().every(isBack),
    );
    journal.measure(
      'Until the first new job was accepted',
      inSeconds(created === undefined ? undefined : (created.endedAtMs - lostAtMs) / 1_000),
    );
    journal.measure(
      'Requests that failed',
      `${outage.failed} of ${outage.total}, the last ${inSeconds(outage.seconds)} after the loss`,
    );
    journal.measure('Until other splitters had all its jobs', inSeconds(elsewhere));
    return {};
  },
};
