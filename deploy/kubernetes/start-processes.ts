/** The processes of each machine of the cluster, in the order of their start, each waited for before the next needs it. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pinnedNode, sourceFlags } from '../launcher.mjs';
import { isAlive } from '../provision/process-identity.ts';
import type { Task } from '../provision/task.ts';
import type { KubernetesApi } from './access/api.ts';
import {
  type ControlPlaneProgram,
  controlPlane,
  dns,
  externalMetrics,
  metricsServer,
  renderCorefile,
} from './control-plane.ts';
import { applyExtensions } from './extensions.ts';
import { type ImageArchive, importImages } from './images.ts';
import { type ClusterLayout, CONTROL_ADDRESS, kubeconfigFile, type NodeLayout } from './layout.ts';
import { firewallRights } from './machine/firewall.ts';
import { type Machine, runIn } from './machine/machine.ts';
import { type ClusterProcess, startProcess, untilReady } from './machine/processes.ts';
import { CONTAINERD_SOCKET, nodeFiles, nodePrograms } from './node.ts';
import {
  isFirewallHealthy,
  isNodeReady,
  isProxyHealthy,
  isSchedulerHealthy,
  knowsTheApiServer,
  SCHEDULER_PORT,
} from './probes.ts';
import type { ClusterPrograms } from './programs.ts';

const EXTENSION_GROUPS = ['metrics.k8s.io', 'external.metrics.k8s.io'];

interface Starting {
  readonly layout: ClusterLayout;
  readonly programs: ClusterPrograms;
  readonly api: KubernetesApi;
  readonly signal: AbortSignal;
}

export async function startControlPlane({
  control,
  layout,
  programs,
  api,
  signal,
}: Starting & { control: Machine }) {
  const folder = join(layout.dataDir, 'control');
  const corefile = join(folder, 'Corefile');
  await writeFile(corefile, renderCorefile(layout.kubeconfig));
  const files = {
    dataFolder: join(folder, 'etcd'),
    certificates: layout.certificates,
    kubeconfigOf: (name: string) => kubeconfigFile(layout, name),
  };
  const launches = {
    ...controlPlane(programs, files),
    dns: dns(programs, corefile),
  };
  const start = (name: ControlPlaneProgram | 'dns') =>
    startProcess(control, name, launches[name], folder, layout.logs);
  const etcd = await start('etcd');
  const apiServer = await start('api-server');
  await untilReady(
    apiServer,
    async () => (await api.call('GET', '/readyz')) === 'ok' && isAlive(etcd.identity),
    signal,
  );
  const controllerManager = await start('controller-manager');
  const scheduler = await start('scheduler');
  const names = await start('dns');
  // The account that pods of the namespace run as is made by a controller.
  const made = '/api/v1/namespaces/default/serviceaccounts/default';
  await untilReady(controllerManager, async () => Boolean(await api.call('GET', made)), signal);
  await untilReady(scheduler, () => isSchedulerHealthy(CONTROL_ADDRESS, SCHEDULER_PORT), signal);
  await untilReady(names, knowsTheApiServer, signal);
}

interface NodeStart extends Starting {
  readonly node: NodeLayout;
  readonly machine: Machine;
  readonly archive: ImageArchive;
  readonly task: Task;
}

export async function startNode({ node, machine, layout, programs, archive, api, signal, task }: NodeStart) {
  const files = {
    certificates: layout.certificates,
    kubeconfigOf: (name: string) => kubeconfigFile(layout, name),
  };
  for (const [name, text] of Object.entries(nodeFiles(node, programs, files))) {
    await mkdir(dirname(join(node.folder, name)), { recursive: true });
    await writeFile(join(node.folder, name), text);
  }
  const launches = nodePrograms(node, programs, files);
  const start = (name: keyof typeof launches) =>
    startProcess(machine, name, launches[name], node.folder, layout.logs);
  const containerd = await start('containerd');
  const asked = ['--address', CONTAINERD_SOCKET, 'version'];
  await untilReady(containerd, async () => Boolean(await runIn(machine, programs.ctr, asked, task)), signal);
  await importImages(machine, programs.ctr, archive.path, task);
  const kubelet = await start('kubelet');
  const proxy = await start('kube-proxy');
  await untilReady(kubelet, () => isNodeReady(api, node.name), signal);
  await untilReady(proxy, () => isProxyHealthy(node.address), signal);
  // It asks for its node first.
  for (const manifest of firewallRights()) await api.apply(manifest);
  const firewall = await start('firewall');
  await untilReady(firewall, () => isFirewallHealthy(node.address), signal);
}

export async function startExtensions({
  control,
  layout,
  programs,
  api,
  signal,
  firstNode,
}: Starting & { control: Machine; firstNode: string }) {
  const files = { certificates: layout.certificates, adminKubeconfig: layout.kubeconfig };
  const entry = join(import.meta.dirname, 'metrics/external-metrics-server.ts');
  const node = { command: pinnedNode, flags: sourceFlags, entry };
  const start = (name: string, launch: Parameters<typeof startProcess>[2]): Promise<ClusterProcess> =>
    startProcess(control, name, launch, join(layout.dataDir, 'control'), layout.logs);
  const started = [
    await start('metrics-server', metricsServer(programs, files)),
    await start('external-metrics', externalMetrics(node, files)),
  ];
  const authority = await readFile(join(layout.certificates, 'ca.crt'), 'utf8');
  await applyExtensions(api, authority, layout.volumes, firstNode);
  for (const [index, process] of started.entries()) {
    const group = EXTENSION_GROUPS[index] ?? '';
    await untilReady(process, async () => Boolean(await api.call('GET', `/apis/${group}/v1beta1`)), signal);
  }
}
