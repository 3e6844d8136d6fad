/** Environments in pods, which hold no value of a Secret. */
import type { KubernetesApi } from '../../deploy/kubernetes/access/api.ts';
import { COMPONENTS } from '../../deploy/kubernetes/components.ts';
import { ENGINES } from './network-rules.ts';
import type { ExecInPod } from './pod-exec.ts';
import { NAMESPACE } from './release.ts';
import { componentOf, PODS, type Pod } from './workload.ts';

interface EnvironmentContext {
  readonly api: KubernetesApi;
  readonly execIn: ExecInPod;
}

interface Secret {
  readonly metadata: { readonly name: string };
  readonly type: string;
  readonly data?: Readonly<Record<string, string>>;
}

/** What a new process gets, and what the first one has got: that of a splitter hides it. */
const READ_BY_NODE = `
  const { readFileSync } = require('node:fs');
  process.stdout.write(Object.entries(process.env).map((entry) => entry.join('=')).join('\\n'));
  try { process.stdout.write(readFileSync('/proc/1/environ', 'utf8')); } catch {}`;
const COMMANDS = { product: ['/usr/local/bin/node', '--eval', READ_BY_NODE], engine: ['env'] };
/** Shorter ones are names, such as that of an access key. */
const MIN_SECRET_LENGTH = 16;

/** Resolves with what there is to tell; throws with every value that is shown. */
export async function findNoSecrets({ api, execIn }: EnvironmentContext): Promise<string> {
  const secrets = await api.list<Secret>(`/api/v1/namespaces/${NAMESPACE}/secrets`);
  const values = secrets.flatMap(valuesOf);
  if (values.length === 0) throw new Error('there is no Secret to look for');
  const pods = await api.list<Pod>(PODS);
  const faults: string[] = [];
  let count = 0;
  for (const pod of pods) {
    const component = componentOf(pod);
    const isProduct = (COMPONENTS as readonly string[]).includes(component);
    if (!isProduct && !(ENGINES as readonly string[]).includes(component)) continue;
    const environment = await execIn(pod, isProduct ? COMMANDS.product : COMMANDS.engine, '');
    if (isProduct && !environment.includes('IDENTITY_PRIVATE_KEY_FILE='))
      throw new Error(`the environment of ${pod.metadata.name} could not be read`);
    for (const { of, value } of values)
      if (environment.includes(value)) faults.push(`${pod.metadata.name} shows ${of}`);
    count += 1;
  }
  if (faults.length > 0) throw new Error(faults.join('; '));
  return `none of ${values.length} values of Secrets is in an environment of ${count} pods`;
}

/** Each line by itself: a secret that changes has several. */
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
