/**
 * The jobs of a run whose segments go into a bucket: which jobs, into which folder, and the content of the
 * folder at their end.
 */
import type { CompletedJob, FailedJob } from '@audiosplit/client';
import type { LoadAccount } from '../harness/load/accounts.ts';
import type { LoadedJob } from '../harness/load/load.ts';
import { type Destination, RECIPES } from '../harness/load/recipes.ts';
import { secondsUntil } from '../harness/seconds-until.ts';
import type { CallersBucket } from './callers-bucket.ts';
import { flawsOfFolder } from './checks/folder.ts';

const CONNECTION = 'archive';
/**
 * Files that a worker without its lease puts into a failed job's folder are removed ten minutes after the
 * job's end.
 */
const EMPTIED_WITHIN_MS = 12 * 60_000;
const LOOK_EVERY_MS = 5_000;

export async function connect(accounts: readonly LoadAccount[], bucket: CallersBucket): Promise<void> {
  const each = ({ id, client }: LoadAccount) =>
    client.createConnection(bucket.connection(CONNECTION, prefixOf(id)));
  await Promise.all(accounts.map(each));
}

/**
 * One job in three, and half of those without a copy at the service. Jobs without faults are compared at the
 * service.
 */
export function destinationOf({ number, recipe }: Pick<LoadedJob, 'number' | 'recipe'>): Destination {
  // A job with a destination is not divided.
  if (number < RECIPES.length || number % 3 > 0 || recipe.source === 'long.wav') return {};
  return { destination: { connection: CONNECTION }, keepCopy: number % 2 === 0 };
}

/** A completed job has one whole set, a failed one has nothing. */
export async function flawsInBucket(
  job: CompletedJob | FailedJob,
  { account, reference }: { readonly account: LoadAccount; readonly reference: readonly string[] },
  bucket: CallersBucket,
): Promise<string[]> {
  if (job.destination === undefined) return [];
  const set = job.status === 'completed' ? { segments: job.segments, reference } : undefined;
  let flaws: string[] = [];
  const isFlawless = async () => {
    flaws = flawsOfFolder(await bucket.read(`${prefixOf(account.id)}${job.id}/`), set);
    return flaws.length === 0;
  };
  await secondsUntil(isFlawless, set === undefined ? EMPTIED_WITHIN_MS : 0, LOOK_EVERY_MS);
  return flaws;
}

function prefixOf(accountId: string): string {
  return `${accountId}/`;
}
