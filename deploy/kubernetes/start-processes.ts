/**
 * Starts the processes of each machine of the cluster in order, waiting for each before the next needs it.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isAlive } from '../provision/process-identity.ts';
import type { Task } from '../provision/task.ts';
import type { KubernetesApi } from './access/api.ts';
import { controlFolder, controlPlane, corefileOf, extensions, renderCorefile } from './control-plane.ts';
import { applyExtensions } from './extensions.ts';
import { importImages } from './images.ts';
import { type ClusterLayout, CONTROL_ADDRESS, type NodeLayout } from './layout.ts';
import { FIREWALL_HEALTH_PORT, firewallRights } from './machine/firewall.ts';
import { type Machine, runIn } from './machine/machine.ts';
import { startProcess, untilReady } from './machine/processes.ts';
import { CONTAINERD_SOCKET, nodeFiles, nodePrograms } from './node.ts';
import {
  isHealthy,
  isNodeReady,
  isSchedulerHealthy,
  knowsTheApiServer,
  PROXY_HEALTH_PORT,
  SCHEDULER_PORT,
} from './probes.ts';
import type { ClusterPrograms } from './programs.ts';

/** Parameters of every start. */
export interface Starting {
  readonly layout: ClusterLayout;
  readonly programs: ClusterPrograms;
  readonly api: KubernetesApi;
  readonly task: Task;
}

export async function startControlPlane({ layout, programs, api, task }: Starting, control: Machine) {
  const { signal } = task;
  await writeFile(corefileOf(layout), renderCorefile(layout.kubeconfig));
  const launches = controlPlane(programs, layout);
  const start = (name: keyof typeof launches) =>
    startProcess(control, launches[name], { name, folder: controlFolder(layout), logs: layout.logs });
  const etcd = await start('etcd');
  const apiServer = await start('api-server');
  const isServed = async () => (await api.call('GET', '/readyz')) === 'ok' && isAlive(etcd.identity);
  await untilReady(apiServer, isServed, signal);
  const controllerManager = await start('controller-manager');
  const scheduler = await start('scheduler');
  const names = await start('dns');
  // A controller creates the account under which pods of the namespace run.
  const made = '/api/v1/namespaces/default/serviceaccounts/default';
  await untilReady(controllerManager, async () => Boolean(await api.call('GET', made)), signal);
  await untilReady(scheduler, () => isSchedulerHealthy(CONTROL_ADDRESS, SCHEDULER_PORT), signal);
  await untilReady(names, knowsTheApiServer, signal);
}

export async function startNode(
  { layout, programs, api, task }: Starting,
  machine: Machine,
  node: NodeLayout,
  imageArchive: string,
) {
  const { signal } = task;
  for (const [name, text] of Object.entries(nodeFiles(node, programs, layout))) {
    await mkdir(dirname(join(node.folder, name)), { recursive: true });
    await writeFile(join(node.folder, name), text);
  }
  const launches = nodePrograms(node, programs, layout);
  const start = (name: keyof typeof launches) =>
    startProcess(machine, launches[name], { name, folder: node.folder, logs: layout.logs });
  const containerd = await start('containerd');
  const asked = ['--address', CONTAINERD_SOCKET, 'version'];
  await untilReady(containerd, async () => Boolean(await runIn(machine, programs.ctr, asked, task)), signal);
  await importImages(machine, programs.ctr, imageArchive, task);
  const kubelet = await start('kubelet');
  const proxy = await start('kube-proxy');
  await untilReady(kubelet, () => isNodeReady(api, node.name), signal);
  await untilReady(proxy, () => isHealthy(node.address, PROXY_HEALTH_PORT), signal);
  // It queries its node first.
  for (const manifest of firewallRights()) await api.apply(manifest);
  const firewall = await start('firewall');
  await untilReady(firewall, () => isHealthy(node.address, FIREWALL_HEALTH_PORT), signal);
}

/** `nodeName`: the node with the volumes. */
export async function startExtensions(
  { layout, programs, api, task }: Starting,
  control: Machine,
  nodeName: string,
) {
  const launches = extensions(programs, layout);
  const start = (name: keyof typeof launches) =>
    startProcess(control, launches[name], { name, folder: controlFolder(layout), logs: layout.logs });
  const started = [
    { group: 'metrics.k8s.io', process: await start('metrics-server') },
    { group: 'external.metrics.k8s.io', process: await start('external-metrics') },
  ];
  const authority = await readFile(join(layout.certificates, 'ca.crt'), 'utf8');
  await applyExtensions(api, authority, layout.volumes, nodeName);
  for (const { group, process } of started) {
    const isServed = async () => Boolean(await api.call('GET', `/apis/${group}/v1beta1`));
    await untilReady(process, isServed, task.signal);
  }
}
