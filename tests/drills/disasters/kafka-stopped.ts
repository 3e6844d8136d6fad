import { setTimeout as sleep } from 'node:timers/promises';
import { inSeconds } from '../../harness/seconds-until.ts';
import type { Drill, DrillContext } from '../drill.ts';
import { awaitEnds, completeJob, countUncounted, unnotified } from '../environment/accounting.ts';
import { OUTBOX_STUCK } from '../environment/alert-conditions.ts';
import { scrapeAll } from '../environment/drill-installation.ts';
import { describeOutage, findOutage } from '../environment/outage.ts';

const JOB_WITHIN_MS = 30_000;
const DRAINED_WITHIN_MS = 120_000;

export const kafkaStopped: Drill = {
  name: 'kafka-stopped',
  title: 'Kafka lost: its brokers are stopped',
  what: 'The broker is stopped, and started again with its disk.',
  async carryOut({ installation, engines, load, journal, outageMs }) {
    const stoppedAtMs = Date.now();
    await engines.stop('kafka');
    journal.did('the broker is stopped');
    await expectJobsDone({ load, journal });
    const condition = async () => OUTBOX_STUCK.value(await scrapeAll(installation));
    await sleep(Math.max(0, stoppedAtMs + outageMs - Date.now()));
    const oldest = await condition();
    journal.expect(
      `the condition of ${OUTBOX_STUCK.alert} holds`,
      oldest > OUTBOX_STUCK.threshold,
      `the oldest event has waited for ${oldest.toFixed(0)} s`,
    );
    const during = load.jobs().filter(({ acceptedAtMs }) => acceptedAtMs >= stoppedAtMs);
    const { completed } = await awaitEnds(load, during.slice(0, -10), 0);
    const waiting = unnotified(load, completed).length;
    journal.expect(
      'notifications wait',
      completed.length > 0 && waiting === completed.length,
      `${waiting} of ${completed.length} jobs that were completed meanwhile are not notified`,
    );
    const uncounted = await countUncounted(load);
    journal.expect(
      'usage waits',
      uncounted >= completed.length,
      `${uncounted} completed jobs are not counted yet`,
    );
    const outage = findOutage(load.requests, stoppedAtMs);
    const created = findOutage(load.requests, stoppedAtMs, ['create']);
    journal.expect('201 all the time', created.failed === 0, describeOutage(created));
    journal.expect('nothing else fails', outage.failed === 0, describeOutage(outage));

    await engines.start('kafka');
    journal.did(`the broker is back after ${Math.round((Date.now() - stoppedAtMs) / 1_000)} s`);
    const isDrained = async () => (await condition()) < 1 && unnotified(load, completed).length === 0;
    const drained = await journal.expectWithin(DRAINED_WITHIN_MS, 'then all of it is delivered', isDrained);
    journal.measure('Requests that failed', `${outage.failed} of ${outage.total}`);
    journal.measure('All waiting events are delivered after its return', inSeconds(drained));
    return {};
  },
};

/** A job that is requested while the bus is down. */
export async function expectJobsDone({
  load,
  journal,
}: Pick<DrillContext, 'load' | 'journal'>): Promise<void> {
  const { seconds } = await completeJob(load, JOB_WITHIN_MS);
  const seen = `a new one is completed: ${inSeconds(seconds)}`;
  journal.expect('idle splitters find jobs by themselves', seconds !== undefined, seen);
}
