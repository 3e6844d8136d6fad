/**
 * Rotates the keys of all processes of the release, with the commands of docs/operations/secrets.md, while it
 * is in use.
 */
import { PROCESSES } from '@audiosplit/proto/callers';
import type { KubernetesApi } from '../../deploy/kubernetes/access/api.ts';
import { repositoryRoot } from '../../deploy/launcher.mjs';
import { STEPS, type Step } from '../../deploy/operations/keys/rotation.ts';
import { runTool } from '../../deploy/provision/run-tool.ts';
import type { Task } from '../../deploy/provision/task.ts';
import { type LoadContext, untilReplaced, withoutFailures } from './load.ts';
import { NAMESPACE, RELEASE } from './release.ts';

const SECRET = `${RELEASE}-secrets`;
const ROTATE = `
  k() { "$KUBECTL" --namespace ${NAMESPACE} "$@"; }
  k get secret ${SECRET} -o json | npm run --silent operate -- rotate-keys "$1" - | k replace -f -
  deployments=$(k get deployment -l app.kubernetes.io/instance=${RELEASE} -o name)
  for deployment in $deployments; do
    k rollout restart "$deployment"
    k rollout status "$deployment" --timeout 8m
  done`;

/** Resolves when Deployments have been replaced; their former pods may still drain. */
export type RotateKeys = (step: Step) => Promise<void>;

export interface RotationContext extends LoadContext {
  readonly api: KubernetesApi;
  readonly rotateKeys: RotateKeys;
}

export function keyRotation(kubectl: string, kubeconfig: string, { signal }: Task): RotateKeys {
  const environment = { KUBECTL: kubectl, KUBECONFIG: kubeconfig };
  const bash = ['-o', 'errexit', '-o', 'pipefail', '-c', ROTATE, 'rotate'];
  return async (step) => {
    await runTool('bash', [...bash, step], { signal, environment, cwd: repositoryRoot });
  };
}

export async function rotateUnderLoad(context: RotationContext): Promise<string> {
  const { api, rotateKeys } = context;
  const before = await publicKeysOf(api);
  const load = await withoutFailures(context, async () => {
    for (const step of STEPS) await untilReplaced(context, NAMESPACE, () => rotateKeys(step));
  });
  const after = await publicKeysOf(api);
  if (after.length !== PROCESSES.length || after.some((line) => before.includes(line)))
    throw new Error(`not every process has a new key, and no other: ${after.length} public keys`);
  return `${after.length} processes have new keys after ${STEPS.join(', ')}, all pods replaced after each; ${load}`;
}

/** A line for each key. */
async function publicKeysOf(api: KubernetesApi): Promise<readonly string[]> {
  const path = `/api/v1/namespaces/${NAMESPACE}/secrets/${SECRET}`;
  const { data } = await api.call<{ readonly data: Readonly<Record<string, string>> }>('GET', path);
  return Buffer.from(data['public-keys'] ?? '', 'base64')
    .toString()
    .split('\n')
    .filter(Boolean);
}
