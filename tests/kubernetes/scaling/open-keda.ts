/** Installs KEDA on the cluster, and removes it. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubernetesApi } from '../../../deploy/kubernetes/access/api.ts';
import { hasCondition, isReady, type WithConditions } from '../../../deploy/kubernetes/conditions.ts';
import { extensionManifests } from '../../../deploy/kubernetes/extensions.ts';
import type { Keda } from '../../../deploy/kubernetes/keda.ts';
import type { ClusterLayout } from '../../../deploy/kubernetes/layout.ts';
import { runTool } from '../../../deploy/provision/run-tool.ts';
import { untilSeen } from '../load.ts';
import { type Pod, podsIn } from '../workload.ts';
import { KEDA_DEPLOYMENTS, KEDA_NAMESPACE, kedaOverlay } from './keda-overlay.ts';

const EXTERNAL_METRICS = '/apis/apiregistration.k8s.io/v1/apiservices/v1beta1.external.metrics.k8s.io';

interface KedaOptions {
  readonly api: KubernetesApi;
  readonly kubectl: string;
  readonly layout: ClusterLayout;
  readonly folder: string;
  readonly signal: AbortSignal;
}

/**
 * Resolves once KEDA serves the API of external metrics instead of the cluster's own metrics server. Disposal gives the API
 * back.
 */
export async function openKeda(keda: Keda, options: KedaOptions): Promise<AsyncDisposable> {
  const { api, kubectl, layout, signal } = options;
  const folder = join(options.folder, 'keda');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'kustomization.yaml'), JSON.stringify(kedaOverlay(keda, folder), null, 2));
  const kubectlRun = (...args: readonly string[]) =>
    runTool(kubectl, ['--kubeconfig', layout.kubeconfig, ...args], { signal });
  await api.call('DELETE', EXTERNAL_METRICS);
  // Applied on the server: a definition is longer than an annotation may be.
  await kubectlRun('apply', '--server-side', '--kustomize', folder);
  await untilSeen({ signal }, 'KEDA is ready', async () => {
    const pods = await api.list<Pod>(podsIn(KEDA_NAMESPACE));
    return pods.length === Object.keys(KEDA_DEPLOYMENTS).length && pods.every(isReady);
  });
  await untilSeen({ signal }, 'KEDA serves external metrics', async () => {
    // It has no status until it is first checked.
    const { status = {} } = await api.call<Partial<WithConditions>>('GET', EXTERNAL_METRICS);
    return hasCondition({ status }, 'Available');
  });
  return {
    async [Symbol.asyncDispose]() {
      await kubectlRun('delete', '--kustomize', folder, '--wait=false', '--ignore-not-found');
      await api.call('DELETE', EXTERNAL_METRICS).catch(() => undefined);
      const authority = await readFile(join(layout.certificates, 'ca.crt'), 'utf8');
      for (const manifest of extensionManifests(authority)) await api.apply(manifest);
    },
  };
}
