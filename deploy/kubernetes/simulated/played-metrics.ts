/**
 * Figures that nobody measures: those of the backlog and of what pods use of their processors, as a ConfigMap has them.
 *
 * The API server's clients (the HPA's controller) see them as they would see those of metrics-server and of an adapter for
 * external metrics. Whoever changes the ConfigMap changes what they are told from the next question on.
 */
import type { Manifest } from '../api.ts';
import { isReady, type WithConditions } from '../conditions.ts';

export const PLAYED = { name: 'played-metrics', namespace: 'kube-system' } as const;
const CPU_PERCENT = 'cpu-percent';
const API_VERSION = 'metrics.k8s.io/v1beta1';
export const GROUP_PATH = `/apis/${API_VERSION}`;
const PODS = /^\/apis\/metrics\.k8s\.io\/v1beta1\/namespaces\/([^/]+)\/pods$/;
const WINDOW = '15s';
const COMPONENT = 'app.kubernetes.io/component';

/** Values of external metrics by their names, and `cpuPercent` of what pods request; `*` stands for every component. */
export interface Played {
  readonly external: Readonly<Record<string, number>>;
  readonly cpuPercent: Readonly<Record<string, number>>;
}

export interface PlayedPod extends WithConditions {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec: {
    readonly containers: readonly {
      readonly name: string;
      readonly resources?: { readonly requests?: { readonly cpu?: string } };
    }[];
  };
}

export function playedManifest({ external, cpuPercent }: Played): Manifest {
  const cpu = Object.entries(cpuPercent).map(([component, percent]) => [keyOf(component), percent] as const);
  const data = Object.fromEntries(
    [...Object.entries(external), ...cpu].map(([key, value]) => [key, String(value)]),
  );
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: PLAYED, data };
}

/** Undefined where nothing is played under the name. */
export function externalValue(data: Readonly<Record<string, string>>, name: string): number | undefined {
  return data[name] === undefined ? undefined : Number(data[name]);
}

/** The namespace whose pods are asked for; undefined where the path asks for something else. */
export function podsAskedFor(url: URL): string | undefined {
  return PODS.exec(url.pathname)?.[1];
}

/** Of pods that are ready: nobody measures others. */
export function podMetricsList(
  data: Readonly<Record<string, string>>,
  namespace: string,
  pods: readonly PlayedPod[],
  now: Date,
) {
  const items = pods.filter(isReady).map(({ metadata: { name, labels = {} }, spec }) => {
    const percent = Number(data[keyOf(labels[COMPONENT] ?? '')] ?? data[keyOf('*')] ?? 0);
    return {
      metadata: { name, namespace, labels },
      timestamp: now.toISOString(),
      window: WINDOW,
      containers: spec.containers.map((container) => {
        const requested = milliCpu(container.resources?.requests?.cpu ?? '0');
        return {
          name: container.name,
          usage: { cpu: `${Math.round((requested * percent) / 100)}m`, memory: '64Mi' },
        };
      }),
    };
  });
  return { kind: 'PodMetricsList', apiVersion: API_VERSION, metadata: {}, items };
}

export function podMetricsResources() {
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: API_VERSION,
    resources: [{ name: 'pods', singularName: '', namespaced: true, kind: 'PodMetrics', verbs: ['list'] }],
  };
}

/** `250m` and `2` alike. */
export function milliCpu(quantity: string): number {
  return quantity.endsWith('m') ? Number(quantity.slice(0, -1)) : Number(quantity) * 1_000;
}

function keyOf(component: string): string {
  return component === '*' ? CPU_PERCENT : `${CPU_PERCENT}.${component}`;
}
