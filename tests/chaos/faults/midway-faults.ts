/**
 * Processes killed in the middle of a write: a splitter that writes into its caller's bucket, webhooks that
 * send to their receiver.
 */
import { until } from '@audiosplit/chassis/testing/until';
import type { ChaosInstallation } from '../chaos-installation.ts';
import { type Fault, HIT_WITHIN_MS, untilHit } from './fault.ts';

/** After a loss of Kafka, webhooks may need most of a minute to read its events again. */
const NOTIFIED_WITHIN_MS = 120_000;

export const MIDWAY_FAULTS: readonly Fault[] = [
  {
    kind: 'bucket-write-kill',
    title: 'splitter: SIGKILL while it writes into a bucket',
    targets: () => ['splitters'],
    claims: (_target, { splitters }) => splitters,
    kills: true,
    async inject(chaos) {
      using hold = chaos.bucket.holdUploads();
      const { name, formerPid, path, jobs } = await firstWriter(chaos, () => hold.paths());
      await chaos.installation.processes.kill(name);
      return { processes: [{ name, formerPid }], jobs, proof: () => `${name} had sent half of ${path}` };
    },
  },
  {
    kind: 'webhook-delivery-kill',
    title: 'webhooks: SIGKILL while a receiver has their notification',
    targets: () => ['webhooks'],
    claims: (target) => [target, 'receiver'],
    kills: true,
    async inject({ receiver, installation: { processes } }, { target }) {
      const before = receiver.received.length;
      using broken = receiver.breakDown('hang');
      const proof = await untilHit(() => broken.hits(), NOTIFIED_WITHIN_MS);
      const formerPid = processes.pid(target);
      await processes.kill(target);
      const cutOff = receiver.received.slice(before).map(({ headers }) => String(headers['webhook-id']));
      return { processes: [{ name: target, formerPid }], notifications: cutOff, proof: () => proof };
    },
  },
];

/** The first splitter with a held upload, and the jobs that it works on. */
async function firstWriter(
  { shape, installation: { processes }, jobs: database }: ChaosInstallation,
  heldPaths: () => readonly string[],
) {
  const find = async () => {
    const paths = heldPaths();
    if (paths.length === 0) return undefined;
    for (const name of shape.splitters) {
      const formerPid = processes.pid(name);
      const jobs = formerPid === undefined ? [] : await database.running(formerPid);
      const path = paths.find((each) => jobs.some(({ id }) => each.includes(`/${id}/`)));
      if (path !== undefined) return { name, formerPid, path, jobs };
    }
    return undefined;
  };
  let found: Awaited<ReturnType<typeof find>>;
  await until(
    async () => {
      found = await find();
      return found !== undefined;
    },
    'a splitter writes into a bucket',
    HIT_WITHIN_MS,
  );
  if (found === undefined) throw new Error('unreachable');
  return found;
}
