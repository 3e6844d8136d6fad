import { openAccounts } from '../../harness/load/accounts.ts';
import { inSeconds } from '../../harness/seconds-until.ts';
import type { Drill } from '../drill.ts';
import { awaitEnds, completeJob, linkOf, statusOf } from '../environment/accounting.ts';
import { describeOutage, findOutage } from '../environment/outage.ts';

const FAILS_WITHIN_MS = 60_000;
const ENDS_TIMEOUT_MS = 60_000;
const DRAWN_WITHIN_MS = 120_000;
const SAMPLE_BYTES = 100_000;

export const bucketLost: Drill = {
  name: 'bucket',
  title: 'Bucket lost',
  what: 'The store is killed and its bucket deleted; an empty one takes its place.',
  async carryOut({ engines, load, journal, commands, installation }) {
    const isDone = async () => (await completeJob(load, ENDS_TIMEOUT_MS)).seconds !== undefined;
    const { client } = load.account;
    // An account with an invoice and an upload.
    const [holder] = await openAccounts(installation.baseUrl, 1);
    const sourceUrl = await client.uploadSource(new Blob([new Uint8Array(SAMPLE_BYTES)]));
    const invoice = async () => (await holder?.client.listInvoices({}))?.data[0];
    const pdfStatus = async () => statusOf((await invoice())?.pdfUrl ?? undefined);
    const isDrawn = async () => (await pdfStatus()) === 200;
    await journal.expectWithin(DRAWN_WITHIN_MS, 'an invoice can be downloaded beforehand', isDrawn);
    load.pause();
    const before = await awaitEnds(load, load.jobs(), ENDS_TIMEOUT_MS);
    const formerLink = await linkOf(load, before.completed.at(-1)?.id);
    load.resume();

    const lostAtMs = Date.now();
    await engines.wipe('versitygw');
    journal.did('the store is killed, and its bucket deleted');
    const duringOutage = await load.post(0);
    const { failed } = await awaitEnds(
      load,
      duringOutage === undefined ? [] : [duringOutage],
      FAILS_WITHIN_MS,
    );
    const code = failed[0]?.code;
    journal.expectEqual('jobs fail with `INTERNAL_ERROR` while it is away', code, 'INTERNAL_ERROR');
    await engines.start('versitygw');
    const backAtMs = Date.now();
    journal.did('a store with an empty bucket starts');
    const done = await journal.expectWithin(ENDS_TIMEOUT_MS, 'then they run', isDone);
    const outage = findOutage(load.requests, lostAtMs, ['create', 'read', 'list']);
    journal.expect('nothing but jobs and downloads fails', outage.failed === 0, describeOutage(outage));
    journal.expectEqual('a download of what is lost answers 404', await statusOf(formerLink), 404);

    const found = await commands.reconcile();
    const named = await commands.run('reconcile', '--all');
    const unnamed = before.completed.filter(({ id }) => !named.includes(id)).length;
    journal.expect(
      '`npm run operate -- reconcile --all` names every job that lacks segments',
      unnamed === 0 && found.jobsWithLosses >= before.completed.length,
      `${found.jobsWithLosses} jobs, of the ${before.completed.length} of the load ${unnamed} are not named; ${found.missingInvoices} invoices without their PDF`,
    );
    await commands.run('reconcile', '--apply');
    journal.did('`npm run operate -- reconcile --apply`');
    const drawnAgain = await journal.expectWithin(DRAWN_WITHIN_MS, 'invoices are drawn again', isDrawn);
    const ofUpload = await client.createSplit({ sourceUrl, splitMode: 'duration', segmentDuration: 20 }).then(
      () => 'it is accepted',
      (error: { readonly code?: string }) => `it is rejected with ${error.code}`,
    );
    journal.saw(`a job of a former upload: ${ofUpload}`);
    load.forget(new Set(before.completed.map(({ id }) => id)));
    journal.measure('Jobs that lost their segments', String(found.jobsWithLosses));
    const since = load.jobs().filter(({ acceptedAtMs }) => acceptedAtMs >= lostAtMs);
    const failures = (await awaitEnds(load, since, 0)).failed.length;
    journal.measure('Jobs that failed while it was away', String(failures));
    journal.measure('The first job completed after its return', inSeconds(done));
    journal.measure('An invoice drawn again', inSeconds(drawnAgain));
    journal.measure('From the loss to the empty bucket', inSeconds((backAtMs - lostAtMs) / 1_000));
    return { jobsWithLosses: found.jobsWithLosses };
  },
};
