import type { KubernetesApi } from '../../deploy/kubernetes/access/api.ts';

export interface CompletedJob {
  readonly name: string;
  /** Undefined where its event has no time. */
  readonly atMs: number | undefined;
}

interface Event {
  readonly reason: string;
  readonly lastTimestamp: string | null;
  readonly involvedObject: { readonly kind: string; readonly name: string };
}

/** By their events, which stay when Helm deletes the Job of a hook that has succeeded. */
export async function completedJobs(api: KubernetesApi, namespace: string): Promise<readonly CompletedJob[]> {
  const events = await api.list<Event>(`/api/v1/namespaces/${namespace}/events`);
  return events
    .filter(({ reason, involvedObject }) => involvedObject.kind === 'Job' && reason === 'Completed')
    .map(({ involvedObject: { name }, lastTimestamp }) => ({
      name,
      atMs: lastTimestamp === null ? undefined : Date.parse(lastTimestamp),
    }));
}
