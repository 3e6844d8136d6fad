/** The steps of "Restore" in docs/operations/backup.md, and the consequences of its "What a restore means". */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readManifest } from '../../../deploy/operations/manifest.ts';
import { inSeconds, secondsUntil } from '../../harness/seconds-until.ts';
import type { Drill, DrillContext } from '../drill.ts';
import { awaitEnds, completionIds, linkOf, statusOf } from '../environment/accounting.ts';
import { describeOutage, findOutage, isSuccess } from '../environment/outage.ts';

const LOST_TIME_MS = 20_000;
const SLOW_PACE_MS = 15_000;
const ENDS_TIMEOUT_MS = 60_000;
const DOWN_MS = 4_000;
const SERVES_WITHIN_MS = 60_000;
const DONE_AGAIN_WITHIN_MS = 90_000;

export const postgresLost: Drill = {
  name: 'postgres',
  title: 'Postgres lost',
  what: 'A backup is made under load; some time later the database is deleted, and an empty one gets the backup.',
  async carryOut(context) {
    const { installation, engines, load, journal, commands } = context;
    const { client } = load.account;
    const revoked = await client.createApiKey({ name: 'revoked in the lost time' });
    const inProgress = await load.post(SLOW_PACE_MS);
    await secondsUntil(
      async () => inProgress !== undefined && (await client.getSplit(inProgress.id)).status === 'processing',
      ENDS_TIMEOUT_MS,
    );
    const folder = join(context.folder, `backup-${Date.now()}`);
    journal.did(`\`npm run operate -- backup\`: ${lastLine(await commands.run('backup', folder), folder)}`);
    const takenAtMs = Date.parse((await readManifest(folder)).takenAt);

    await client.revokeApiKey(revoked.id);
    const lostKey = await client.createApiKey({ name: 'made in the lost time' });
    await sleep(LOST_TIME_MS);
    const before =
      inProgress === undefined ? undefined : await awaitEnds(load, [inProgress], ENDS_TIMEOUT_MS);
    const { data } = await client.listSplits({ status: 'completed', limit: 1 });
    const link = await linkOf(load, data[0]?.id);
    const lostAtMs = Date.now();
    await engines.wipe('postgres');
    journal.did('Postgres is stopped at once, and its data is deleted');
    await expectRefusals(context, lostAtMs, link);

    await installation.stop();
    journal.did('all processes of the product are stopped');
    await engines.start('postgres');
    const restoringMs = performance.now();
    const restored = await commands.run('restore', folder);
    const restoredIn = (performance.now() - restoringMs) / 1_000;
    journal.did(`an empty Postgres is started; \`npm run operate -- restore\`: ${restored.split('\n')[0]}`);
    const found = await commands.reconcile();
    journal.did(
      `\`npm run operate -- reconcile\`: ${found.unknownJobs} unknown jobs with objects, ${found.jobsWithLosses} jobs lack segments`,
    );
    await commands.run('reconcile', '--apply');
    const left = (await commands.reconcile()).unknownJobs;
    journal.expectEqual('`reconcile --apply` has them removed, the number that is left', left, 0);
    await installation.start();
    journal.did('everything is started');
    // Not downloads: signed links work throughout.
    const firstAnswer = () =>
      load.requests.find(
        (request) =>
          request.kind !== 'download' && request.beganAtMs > lostAtMs + DOWN_MS && isSuccess(request),
      );
    const serves = () => firstAnswer() !== undefined;
    await journal.expectWithin(SERVES_WITHIN_MS, 'it serves again', serves, () =>
      describeOutage(findOutage(load.requests, lostAtMs, ['create', 'read', 'list'])),
    );
    const servedAtMs = firstAnswer()?.endedAtMs;

    const all = load.jobs().filter(({ acceptedAtMs }) => acceptedAtMs < lostAtMs);
    const ends = await awaitEnds(load, all, DONE_AGAIN_WITHIN_MS);
    const gone = ends.missing;
    const tooOld = gone.filter(({ acceptedAtMs }) => acceptedAtMs < takenAtMs);
    const kept = all.filter(({ acceptedAtMs }) => acceptedAtMs >= takenAtMs + 1_000).length - gone.length;
    journal.expect(
      'jobs of the lost time are gone, and no others',
      gone.length > 0 && tooOld.length === 0 && kept <= 0,
      `${gone.length} gone, ${tooOld.length} of them from before the backup`,
    );
    journal.expect(
      'their segments lay in the bucket, and `reconcile` named them',
      found.unknownJobs > 0 && found.unknownJobs <= gone.length,
      `${found.unknownJobs} of ${gone.length}; the others had stored nothing yet`,
    );
    load.forget(new Set(gone.map(({ id }) => id)));
    const isDoneAgain = () => inProgress !== undefined && completionIds(load.receiver, inProgress).size === 2;
    const again =
      before?.completed.length === 1 ? await secondsUntil(isDoneAgain, DONE_AGAIN_WITHIN_MS) : undefined;
    journal.expect(
      'a job that ended after the backup is done again, and notified under another `webhook-id`',
      again !== undefined,
      inProgress === undefined
        ? 'it was not accepted'
        : `${completionIds(load.receiver, inProgress).size} ids`,
    );
    const twice = all.filter((job) => completionIds(load.receiver, job).size > 1).length;
    const listWith = (key: string) => statusOf(`${installation.baseUrl}/api/v1/splits`, { 'x-api-key': key });
    const listed = await listWith(revoked.key);
    journal.expectEqual('a key that was revoked in the lost time works again', listed, 200);
    const refused = await listWith(lostKey.key);
    journal.expectEqual('a key that was made in the lost time does not', refused, 401);
    await client.revokeApiKey(revoked.id);

    journal.measure('RPO: from the backup to the loss', inSeconds((lostAtMs - takenAtMs) / 1_000));
    journal.measure(
      'RTO: from the loss to the first answer',
      inSeconds(servedAtMs && (servedAtMs - lostAtMs) / 1_000),
    );
    journal.measure('Of which `npm run operate -- restore`', inSeconds(restoredIn));
    journal.measure('Jobs lost', String(gone.length));
    journal.measure('Jobs done again', String(twice));
    return {};
  },
};

async function expectRefusals(
  { installation, load, journal }: DrillContext,
  lostAtMs: number,
  link: string | undefined,
): Promise<void> {
  // Gateways cache a verified key for that long.
  await sleep(DOWN_MS);
  const answer = await load.call('GET /api/v1/splits');
  const retryAfter = answer.headers?.get('retry-after');
  journal.expect(
    '503 with `Retry-After` until then',
    answer.status === 503 && Number(retryAfter) > 0,
    `${answer.status}, Retry-After ${retryAfter}`,
  );
  const statusAtGateway = (path: string) => statusOf(`${installation.gatewayUrls[0]}${path}`);
  const answers = [await statusAtGateway('/healthz'), await statusAtGateway('/readyz')].join();
  journal.expectEqual('`/healthz` 200, `/readyz` 503', answers, '200,503');
  if (link !== undefined) {
    // Directly, past the balancer.
    const { pathname, search } = new URL(link);
    const status = await statusAtGateway(`${pathname}${search}`);
    journal.expectEqual('signed links still work at a gateway', status, 200);
    journal.saw(`the same link behind the balancer: ${await statusOf(link)}`);
  }
  journal.saw(describeOutage(findOutage(load.requests, lostAtMs)));
}

/** Without the folder, which differs on every machine. */
function lastLine(output: string, folder: string): string {
  return (output.split('\n').at(-1) ?? '').replace(` to ${folder}`, '');
}
