/** Everything that lies in a namespace, of whatever kind the API server knows. */
import type { KubernetesApi } from '../../../deploy/kubernetes/api.ts';

interface Resource {
  readonly name: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

/** What is told of objects, and goes by itself after a while. */
const NOT_OBJECTS = ['events'];

/** `resource/name` each. */
export async function objectsIn(api: KubernetesApi, namespace: string): Promise<ReadonlySet<string>> {
  const { groups } = await api.call<{
    readonly groups: readonly { readonly preferredVersion: { readonly groupVersion: string } }[];
  }>('GET', '/apis');
  const roots = [
    '/api/v1',
    ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`),
  ];
  const found = new Set<string>();
  for (const root of roots) {
    const { resources } = await api.call<{ readonly resources: readonly Resource[] }>('GET', root);
    for (const { name } of resources.filter(holdsObjects)) {
      const objects = await api.list<{ readonly metadata: { readonly name: string } }>(
        `${root}/namespaces/${namespace}/${name}`,
      );
      for (const { metadata } of objects) found.add(`${name}/${metadata.name}`);
    }
  }
  return found;
}

/** Figures about objects, which cannot be deleted, are none; nor are parts of one, such as its status. */
function holdsObjects({ name, namespaced, verbs }: Resource): boolean {
  const isOne = verbs.includes('list') && verbs.includes('delete') && !name.includes('/');
  return namespaced && isOne && !NOT_OBJECTS.includes(name);
}
