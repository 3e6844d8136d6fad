/** Samples the release's replicas at an interval until disposed. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubernetesApi } from '../../deploy/kubernetes/access/api.ts';
import { NAMESPACE } from './release.ts';
import type { Sample } from './timeline.ts';
import { componentOf, DEPLOYMENTS, type Deployment } from './workload.ts';

const EVERY_MS = 2_000;
const BACKLOG =
  `/apis/external.metrics.k8s.io/v1beta1/namespaces/${NAMESPACE}/audiosplit_event_bus_lag_messages` +
  `?labelSelector=${encodeURIComponent('group=splitter,topic=audiosplit.split-requests')}`;

export function watchReplicas(api: KubernetesApi) {
  const startedMs = performance.now();
  const over = new AbortController();
  const samples: Sample[] = [];
  let step = '';
  const loop = (async () => {
    while (!over.signal.aborted) {
      // If the API server is busy for a moment, a sample is missing.
      const sample = await take(api, step, performance.now() - startedMs).catch(() => undefined);
      if (sample !== undefined) samples.push(sample);
      await sleep(EVERY_MS, undefined, { signal: over.signal }).catch(() => undefined);
    }
  })();
  return {
    samples: samples as readonly Sample[],
    /** The step to which further samples belong. */
    enter(next: string) {
      step = next;
    },
    async [Symbol.asyncDispose]() {
      over.abort();
      await loop;
    },
  };
}

async function take(api: KubernetesApi, step: string, atMs: number): Promise<Sample> {
  const deployments = await api.list<Deployment>(DEPLOYMENTS);
  const replicas = Object.fromEntries(
    deployments.map((deployment) => [
      componentOf(deployment),
      { ready: deployment.status.readyReplicas ?? 0, wanted: deployment.spec.replicas },
    ]),
  );
  const backlog = await readBacklog(api).catch(() => undefined);
  return { atMs, step, replicas, ...(backlog === undefined ? {} : { backlog }) };
}

/** The value that the HPA receives. */
async function readBacklog(api: KubernetesApi): Promise<number | undefined> {
  const { items } = await api.call<{ readonly items: readonly { readonly value: string }[] }>('GET', BACKLOG);
  const [item] = items;
  return item === undefined ? undefined : Number(item.value);
}
