import type { Container, Labels, Manifest } from './chart-manifests.ts';

export const fromSecret = (name: string) => ({ name, valueFrom: { secretKeyRef: { name: 'a', key: 'b' } } });

/** Of one component. */
export const labelsOf = (component: string) => ({ 'app.kubernetes.io/component': component });

/** Makes pods of these containers. */
export function workload(
  kind: string,
  containers: readonly Container[],
  labels: Labels = {},
  replicas = 1,
): Manifest {
  return { kind, spec: { replicas, template: { metadata: { labels }, spec: { containers } } } };
}
