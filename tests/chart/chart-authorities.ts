/** Checks that a container mounts the authorities' file that its environment names: Node ignores a file that it cannot read. */
import type { Container } from './chart-manifests.ts';

/** Empty where there is none, or where something is mounted. */
export function faultsOfAuthorities({ env = [], volumeMounts = [] }: Container): readonly string[] {
  const file = env.find(({ name }) => name === 'NODE_EXTRA_CA_CERTS')?.value;
  if (file === undefined || volumeMounts.some(({ mountPath }) => file.startsWith(`${mountPath}/`))) return [];
  return [`NODE_EXTRA_CA_CERTS is ${file}, where nothing is mounted`];
}
