/** Checks that environments in pods contain no value of a Secret. */
import type { KubernetesApi } from '../../deploy/kubernetes/access/api.ts';
import { COMPONENTS } from '../../deploy/kubernetes/components.ts';
import { ENGINES } from './network-rules.ts';
import type { ExecInPod } from './pod-exec.ts';
import { componentOf, type Pod, podsIn } from './workload.ts';

interface EnvironmentContext {
  readonly api: KubernetesApi;
  readonly execIn: ExecInPod;
}

interface Secret {
  readonly metadata: { readonly name: string };
  readonly type: string;
  readonly data?: Readonly<Record<string, string>>;
}

/** The environment of a new process and that of the first one: a splitter hides the latter. */
const READ_BY_NODE = `
  const { readFileSync } = require('node:fs');
  process.stdout.write(Object.entries(process.env).map((entry) => entry.join('=')).join('\\n'));
  try { process.stdout.write(readFileSync('/proc/1/environ', 'utf8')); } catch {}`;
/** The operators' console is one of the product's processes too. */
const PRODUCT: readonly string[] = [...COMPONENTS, 'operators'];
const COMMANDS = { product: ['/usr/local/bin/node', '--eval', READ_BY_NODE], engine: ['env'] };
/** Shorter values are names, such as that of an access key. */
const MIN_SECRET_LENGTH = 16;

/** Checks all pods in the namespaces. Resolves with a summary; throws with every value that is visible. */
export async function findNoSecrets(
  context: EnvironmentContext,
  namespaces: readonly string[],
): Promise<string> {
  const found: Awaited<ReturnType<typeof lookInto>>[] = [];
  for (const namespace of namespaces) found.push(await lookInto(context, namespace));
  const faults = found.flatMap((each) => each.faults);
  if (faults.length > 0) throw new Error(faults.join('; '));
  const sum = (count: 'values' | 'pods') => found.reduce((total, each) => total + each[count], 0);
  return `none of ${sum('values')} values of Secrets is in an environment of ${sum('pods')} pods (${namespaces.join(', ')})`;
}

/** A Secret is available only to pods in its own namespace. */
async function lookInto({ api, execIn }: EnvironmentContext, namespace: string) {
  const secrets = await api.list<Secret>(`/api/v1/namespaces/${namespace}/secrets`);
  const values = secrets.flatMap(valuesOf);
  if (values.length === 0) throw new Error(`there is no Secret to look for in ${namespace}`);
  const faults: string[] = [];
  let pods = 0;
  for (const pod of await api.list<Pod>(podsIn(namespace))) {
    const component = componentOf(pod);
    const isProduct = PRODUCT.includes(component);
    if (!isProduct && !(ENGINES as readonly string[]).includes(component)) continue;
    const environment = await execIn(pod, isProduct ? COMMANDS.product : COMMANDS.engine, '');
    if (isProduct && !environment.includes('IDENTITY_PRIVATE_KEY_FILE='))
      throw new Error(`the environment of ${pod.metadata.name} could not be read`);
    for (const { of, value } of values)
      if (environment.includes(value)) faults.push(`${namespace}/${pod.metadata.name} shows ${of}`);
    pods += 1;
  }
  if (pods === 0) throw new Error(`there is no pod to look into in ${namespace}`);
  return { values: values.length, pods, faults };
}

/** Each line separately: a secret in rotation has several. */
function valuesOf({ metadata, type, data = {} }: Secret) {
  if (type !== 'Opaque') return [];
  return Object.entries(data).flatMap(([key, base64]) =>
    Buffer.from(base64, 'base64')
      .toString()
      .split('\n')
      .filter((value) => value.length >= MIN_SECRET_LENGTH)
      .map((value) => ({ of: `${metadata.name}/${key}`, value })),
  );
}
