/** How the steps read and change the release's objects. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ApiError,
  type KubernetesApi,
  type Manifest,
  MERGE_TYPE,
} from '../../deploy/kubernetes/access/api.ts';
import { COMPONENTS } from '../../deploy/kubernetes/components.ts';
import { isReady, type WithConditions } from '../../deploy/kubernetes/conditions.ts';
import { ProvisionError } from '../../deploy/provision/provision-error.ts';
import { NAMESPACE, RELEASE } from './release.ts';

export interface Pod extends WithConditions {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly creationTimestamp: string;
    readonly deletionTimestamp?: string;
  };
  readonly spec: { readonly nodeName?: string; readonly containers: readonly { readonly image: string }[] };
  readonly status: WithConditions['status'] & {
    readonly phase: string;
    readonly podIP?: string;
    readonly containerStatuses?: readonly { readonly containerID?: string; readonly restartCount: number }[];
  };
}

export interface Deployment {
  readonly metadata: { readonly labels: Readonly<Record<string, string>>; readonly generation: number };
  readonly spec: { readonly replicas: number };
  readonly status: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly readyReplicas?: number;
  };
}

export const PODS = podsIn(NAMESPACE);
export const DEPLOYMENTS = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`;
const COMPONENT = 'app.kubernetes.io/component';
const EVICTION_PAUSE_MS = 1_000;
const DRAIN_TIMEOUT_MS = 300_000;

export function podsIn(namespace: string): string {
  return `/api/v1/namespaces/${namespace}/pods`;
}

export function componentOf({ metadata: { labels } }: Pick<Pod | Deployment, 'metadata'>): string {
  return labels?.[COMPONENT] ?? '';
}

/** A namespace that enforces the strictest level of Pod Security. */
export function restrictedNamespace(name: string): Manifest {
  const labels = {
    'pod-security.kubernetes.io/enforce': 'restricted',
    'pod-security.kubernetes.io/enforce-version': 'latest',
  };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
}

/** A service for requests from outside, at a port of every node. */
export function entryService(namespace: string, nodePort: number): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'entry', namespace },
    spec: {
      type: 'NodePort',
      selector: { 'app.kubernetes.io/instance': RELEASE, [COMPONENT]: 'gateway' },
      ports: [{ port: 80, targetPort: 'http', nodePort }],
    },
  };
}

/** Returns the reason for refusing a pod that could act as root; throws if it is admitted. */
export async function refusalOfPrivilegedPod(api: KubernetesApi): Promise<string> {
  const pod: Manifest = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'privileged', namespace: NAMESPACE },
    spec: { containers: [{ name: 'one', image: 'any', securityContext: { privileged: true } }] },
  };
  try {
    await api.call('POST', `${PODS}?dryRun=All`, pod);
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return error.message;
    throw error;
  }
  throw new Error('a privileged pod was let in: the level `restricted` is not enforced');
}

/** Throws ProvisionError if the product is already installed. */
export async function assertNotInstalled(api: KubernetesApi): Promise<void> {
  if ((await api.list<Deployment>(DEPLOYMENTS)).length === 0) return;
  throw new ProvisionError(
    `the product is installed there already: helm uninstall ${RELEASE} -n ${NAMESPACE}, or npm run cluster -- down`,
  );
}

export async function areAllReady(api: KubernetesApi): Promise<boolean> {
  const deployments = await api.list<Deployment>(DEPLOYMENTS);
  return deployments.every(
    ({ metadata, spec, status }) =>
      status.observedGeneration === metadata.generation &&
      status.replicas === spec.replicas &&
      status.updatedReplicas === spec.replicas &&
      status.readyReplicas === spec.replicas,
  );
}

/**
 * Whether every pod of the product's components has an image with this tag, and none is still terminating.
 */
export async function areAllOfTag(api: KubernetesApi, tag: string, namespace = NAMESPACE): Promise<boolean> {
  const components: readonly string[] = COMPONENTS;
  const pods = (await api.list<Pod>(podsIn(namespace))).filter((pod) =>
    components.includes(componentOf(pod)),
  );
  const isOfTag = ({ metadata, spec }: Pod) =>
    metadata.deletionTimestamp === undefined &&
    spec.containers.every(({ image }) => image.endsWith(`:${tag}`));
  return pods.length > 0 && pods.every(isOfTag);
}

/** Whether the component of a killed pod has all of its pods again, each ready. */
export async function isReplaced(api: KubernetesApi, killed: Pod): Promise<boolean> {
  const component = componentOf(killed);
  const deployments = await api.list<Deployment>(DEPLOYMENTS, `${COMPONENT}=${component}`);
  const wanted = deployments.reduce((sum, { spec }) => sum + spec.replicas, 0);
  const ready = (await api.list<Pod>(PODS, `${COMPONENT}=${component}`)).filter(
    (pod) =>
      pod.metadata.uid !== killed.metadata.uid &&
      pod.metadata.deletionTimestamp === undefined &&
      isReady(pod),
  );
  return wanted > 0 && ready.length === wanted;
}

/** By force: the API deletes it at once, and the kubelet gives its processes a second. */
export async function kill(api: KubernetesApi, pod: Pod): Promise<void> {
  await api.call('DELETE', `${PODS}/${pod.metadata.name}`, {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    gracePeriodSeconds: 0,
    preconditions: { uid: pod.metadata.uid },
  });
}

export async function setSchedulable(api: KubernetesApi, node: string, isSchedulable: boolean) {
  await api.call('PATCH', `/api/v1/nodes/${node}`, { spec: { unschedulable: !isSchedulable } }, MERGE_TYPE);
}

/**
 * Like `kubectl drain`: requests every pod's eviction, and retries while a disruption budget forbids it,
 * until none is left. Resolves with the number of evicted pods, and how often a budget postponed an eviction.
 */
export async function drain(api: KubernetesApi, node: string, signal: AbortSignal) {
  await setSchedulable(api, node, false);
  const evicted = new Set<string>();
  let postponed = 0;
  const deadlineMs = Date.now() + DRAIN_TIMEOUT_MS;
  for (;;) {
    const pods = (await api.list<Pod>(PODS)).filter(
      ({ spec, status }) =>
        spec.nodeName === node && status.phase !== 'Succeeded' && status.phase !== 'Failed',
    );
    if (pods.length === 0) return { evicted: evicted.size, postponed };
    for (const { metadata } of pods.filter((pod) => pod.metadata.deletionTimestamp === undefined)) {
      const outcome = await evict(api, metadata.name);
      if (outcome === 'evicted') evicted.add(metadata.uid);
      if (outcome === 'postponed') postponed += 1;
    }
    if (Date.now() > deadlineMs) throw new Error(`${pods.length} pods are still on ${node}`);
    await sleep(EVICTION_PAUSE_MS, undefined, { signal });
  }
}

async function evict(api: KubernetesApi, name: string): Promise<'evicted' | 'postponed' | 'gone'> {
  try {
    await api.call('POST', `${PODS}/${name}/eviction`, {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name, namespace: NAMESPACE },
    });
    return 'evicted';
  } catch (error) {
    if (error instanceof ApiError && error.status === 429) return 'postponed';
    if (error instanceof ApiError && error.status === 404) return 'gone';
    throw error;
  }
}
