/** Whether the hook's Job migrated before any pod of the release existed, according to the API's events. */
import type { KubernetesApi } from '../../deploy/kubernetes/access/api.ts';
import { EXTERNAL_NAMESPACE } from './external-release.ts';
import { componentOf, type Pod } from './workload.ts';

const JOB = 'audiosplit-migrations';

interface Event {
  readonly reason: string;
  readonly lastTimestamp: string | null;
  readonly involvedObject: { readonly kind: string; readonly name: string };
}

/**
 * The time in ms at which the Job last completed; undefined if it never did. Read from its events, which
 * remain when Helm deletes the Job of a successful hook.
 */
export async function migratedAt(api: KubernetesApi): Promise<number | undefined> {
  const events = await api.list<Event>(`/api/v1/namespaces/${EXTERNAL_NAMESPACE}/events`);
  const times = events.flatMap(({ reason, lastTimestamp, involvedObject: { kind, name } }) =>
    kind === 'Job' && name === JOB && reason === 'Completed' && lastTimestamp !== null
      ? [Date.parse(lastTimestamp)]
      : [],
  );
  return times.length === 0 ? undefined : Math.max(...times);
}

/**
 * Resolves with a summary; throws unless the Job completed after `sinceMs` and before the oldest of `pods`.
 */
export async function assertMigratedFirst(
  api: KubernetesApi,
  pods: readonly Pod[],
  sinceMs: number,
): Promise<string> {
  const doneMs = await migratedAt(api);
  if (doneMs === undefined || doneMs < sinceMs) throw new Error('the Job of the migrations was not done');
  const [first] = [...pods].sort((a, b) => createdMs(a) - createdMs(b));
  if (first === undefined) throw new Error('there is no pod');
  // Both times are in whole seconds.
  if (createdMs(first) < doneMs)
    throw new Error(`${first.metadata.name} was there before the migrations were done`);
  const laterSeconds = (createdMs(first) - doneMs) / 1000;
  return `migrations were done ${laterSeconds} s before the first pod was made (${componentOf(first)})`;
}

function createdMs({ metadata: { creationTimestamp } }: Pod): number {
  return Date.parse(creationTimestamp);
}
