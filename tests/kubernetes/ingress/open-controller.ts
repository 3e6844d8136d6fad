/** Installs the controller on the cluster, from the definitions of its kinds to a ready pod. */
import type { KubernetesApi } from '../../../deploy/kubernetes/access/api.ts';
import { isReady } from '../../../deploy/kubernetes/conditions.ts';
import type { IngressController } from '../../../deploy/kubernetes/ingress-controller.ts';
import type { ClusterLayout, NodeLayout } from '../../../deploy/kubernetes/layout.ts';
import { runTool } from '../../../deploy/provision/run-tool.ts';
import { untilSeen } from '../load.ts';
import { type Pod, podsIn } from '../workload.ts';
import { CONTROLLER_NAMESPACE, controllerManifests, KINDS, type Kind } from './controller-manifests.ts';
import type { EntryPoint } from './entry-point.ts';

export interface OpenController extends AsyncDisposable {
  readonly entryPoints: readonly EntryPoint[];
  /** The number of times that its container has ended, as it does when it exceeds its memory. */
  restarts(): Promise<number>;
}

interface ControllerOptions {
  readonly api: KubernetesApi;
  readonly kubectl: string;
  readonly layout: ClusterLayout;
  /** The node on which it runs. */
  readonly node: NodeLayout;
  readonly signal: AbortSignal;
}

/** Resolves once it is ready. After disposal, the kinds of the Gateway API remain. */
export async function openController(
  { program, gatewayDefinitions }: IngressController,
  { api, kubectl, layout, node, signal }: ControllerOptions,
): Promise<OpenController> {
  const kubectlRun = (...args: readonly string[]) =>
    runTool(kubectl, ['--kubeconfig', layout.kubeconfig, ...args], { signal });
  // Applied on the server: one definition is longer than an annotation may be.
  await kubectlRun('apply', '--server-side', '--filename', gatewayDefinitions);
  await kubectlRun('wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s');
  for (const manifest of controllerManifests(program, node.name)) await api.apply(manifest);
  const pods = () => api.list<Pod>(podsIn(CONTROLLER_NAMESPACE));
  await untilSeen({ signal }, 'the controller is ready', async () => (await pods()).some(isReady));
  return {
    entryPoints: Object.entries(KINDS).map(([kind, { nodePort }]) => ({
      kind: kind as Kind,
      url: `http://${node.address}:${nodePort}`,
    })),
    async restarts() {
      const containers = (await pods()).flatMap(({ status }) => status.containerStatuses ?? []);
      return containers.reduce((sum, { restartCount }) => sum + restartCount, 0);
    },
    async [Symbol.asyncDispose]() {
      await api.call('DELETE', `/api/v1/namespaces/${CONTROLLER_NAMESPACE}`);
    },
  };
}
