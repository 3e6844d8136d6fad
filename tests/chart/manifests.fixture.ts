import type { Labels, Manifest } from './chart-manifests.ts';
import type { Container } from './pod-spec.ts';

export const fromSecret = (name: string) => ({ name, secret: { name: 'a', key: 'b' } });

/** The identity of a process, by its container's name. */
export const identityOf = (process: string) => [
  { name: 'IDENTITY_PRIVATE_KEY', secret: { name: 'a', key: `${process}-private-key` } },
  fromSecret('IDENTITY_PUBLIC_KEYS'),
];

/** The labels of one component. */
export const labelsOf = (component: string) => ({ 'app.kubernetes.io/component': component });

/** Creates pods with these containers. */
export function workload(
  kind: string,
  containers: readonly Container[],
  labels: Labels = {},
  replicas = 1,
): Manifest {
  return { kind, spec: { replicas, template: { metadata: { labels }, spec: { containers } } } };
}
