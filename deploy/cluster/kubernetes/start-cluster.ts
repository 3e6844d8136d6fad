/**
 * A Kubernetes on this machine: control plane and nodes, each a machine of its own (machine.ts), with the project's images.
 *
 * What is there after a failure, an interruption or a kill is found by the state file and ended by stopCluster, as
 * everything lives in the machines that it names.
 */
import { existsSync, readdirSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isAlive } from '../../engines/process-identity.ts';
import { type Report, reportedTask, seconds } from '../../engines/progress.ts';
import { ProvisionError } from '../../engines/provision-error.ts';
import { lockState } from '../../engines/state-lock.ts';
import { pinnedNode, sourceFlags } from '../../local/install.mjs';
import { type KubernetesApi, openApi } from './api.ts';
import { certificatesOf, writeCertificates } from './certificates.ts';
import { makeControlGroups } from './control-groups.ts';
import {
  type ControlPlaneProgram,
  controlPlane,
  externalMetrics,
  metricsServer,
  renderCorefile,
} from './control-plane.ts';
import { applyExtensions } from './extensions.ts';
import { type ImageArchive, importImages, saveImages } from './images.ts';
import { kubeconfig } from './kubeconfig.ts';
import { type ClusterLayout, clusterLayout, type NodeLayout, nodesOf } from './layout.ts';
import { type Machine, openMachine, runIn } from './machine.ts';
import { joinNetwork, openNetwork } from './network.ts';
import { CONTAINERD_SOCKET, nodeFiles, nodePrograms } from './node.ts';
import { type ClusterProcess, startProcess, untilReady } from './processes.ts';
import { type ClusterPrograms, ensureClusterPrograms } from './programs.ts';
import { readState, writeState } from './state.ts';
import { stopCluster } from './stop-cluster.ts';

const EXTENSION_GROUPS = ['metrics.k8s.io', 'external.metrics.k8s.io'];

export interface StartOptions {
  readonly dataDir: string;
  readonly signal: AbortSignal;
  readonly report: Report;
}

/** Throws ProvisionError, with what to do; whatever has been started by then is ended. */
export async function startCluster(options: StartOptions): Promise<void> {
  assertPossible(options.dataDir);
  await mkdir(options.dataDir, { recursive: true });
  await using _lock = await lockState(options.dataDir);
  writeState(options.dataDir, { machines: {}, isReady: false });
  try {
    await start(options);
  } catch (error) {
    await stopCluster(options.dataDir, options.report);
    throw error;
  }
}

async function start({ dataDir, signal, report }: StartOptions): Promise<void> {
  const startedMs = performance.now();
  const task = reportedTask('cluster', report, signal);
  const layout = clusterLayout(dataDir);
  const nodes = nodesOf(layout.dataDir);
  const programs = await ensureClusterPrograms(task);
  await mkdir(layout.logs, { recursive: true });
  const archive = await saveImages(layout.dataDir, programs, task);
  await writeCertificates(layout.certificates, certificatesOf(nodes), task);
  await writeKubeconfigs(layout, nodes);
  await makeControlGroups(nodes.map(({ name }) => name));

  const open = async (name: string) => {
    const folder = join(layout.dataDir, name);
    await mkdir(folder, { recursive: true });
    return await openMachine(name, folder, task, (holder) => {
      const { machines = {} } = readState(layout.dataDir) ?? {};
      writeState(layout.dataDir, { machines: { ...machines, [name]: holder }, isReady: false });
    });
  };
  const control = await open('control');
  await openNetwork(control, nodes, task);
  using api = openApi(layout.certificates);
  await task.step('the control plane', () => startControlPlane({ control, layout, programs, api, signal }));
  for (const node of nodes) {
    const machine = await open(node.name);
    await joinNetwork(control, machine, node, nodes, task);
    await task.step(node.name, () =>
      startNode({ node, machine, layout, programs, archive, api, signal, task }),
    );
  }
  await rm(archive.path);
  await task.step('metrics', () =>
    startExtensions({ control, layout, programs, api, signal, firstNode: nodes[0].name }),
  );
  await writeFile(layout.values, JSON.stringify(archive.values, null, 2));
  writeState(layout.dataDir, { machines: readState(layout.dataDir)?.machines ?? {}, isReady: true });
  report('cluster', `ready after ${seconds(startedMs)}`);
}

/** Throws ProvisionError, where this machine or a cluster that is there already forbids it. */
function assertPossible(dataDir: string): void {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    throw new ProvisionError('nodes are made of namespaces of the Linux kernel: run this as root, on Linux');
  }
  const machines = Object.values(readState(dataDir)?.machines ?? {});
  if (machines.some(isAlive)) {
    throw new ProvisionError(`a cluster runs in ${dataDir}: use it, or end it with npm run cluster:down`);
  }
  // The folder is deleted with the cluster.
  if (existsSync(dataDir) && readState(dataDir) === undefined && readdirSync(dataDir).length > 0) {
    throw new ProvisionError(`${dataDir} holds something else: name an empty or a new folder`);
  }
}

interface Starting {
  readonly layout: ClusterLayout;
  readonly programs: ClusterPrograms;
  readonly api: KubernetesApi;
  readonly signal: AbortSignal;
}

async function startControlPlane({
  control,
  layout,
  programs,
  api,
  signal,
}: Starting & { control: Machine }) {
  const folder = join(layout.dataDir, 'control');
  const corefile = join(folder, 'Corefile');
  await writeFile(corefile, renderCorefile(layout.kubeconfig));
  const launches = controlPlane(programs, {
    dataFolder: join(folder, 'etcd'),
    certificates: layout.certificates,
    kubeconfigOf: (name) => kubeconfigFile(layout, name),
    corefile,
  });
  const start = (name: ControlPlaneProgram) =>
    startProcess(control, name, launches[name], folder, layout.logs);
  const etcd = await start('etcd');
  const apiServer = await start('api-server');
  await untilReady(
    apiServer,
    async () => (await api.call('GET', '/readyz')) === 'ok' && isAlive(etcd.identity),
    signal,
  );
  const others = await Promise.all((['controller-manager', 'scheduler', 'dns'] as const).map(start));
  const [controllerManager] = others;
  // The account that pods of the namespace run as is made by a controller.
  const made = '/api/v1/namespaces/default/serviceaccounts/default';
  if (controllerManager)
    await untilReady(controllerManager, async () => Boolean(await api.call('GET', made)), signal);
}

interface NodeStart extends Starting {
  readonly node: NodeLayout;
  readonly machine: Machine;
  readonly archive: ImageArchive;
  readonly task: ReturnType<typeof reportedTask>;
}

async function startNode({ node, machine, layout, programs, archive, api, signal, task }: NodeStart) {
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
  await start('kube-proxy');
  await untilReady(kubelet, () => isNodeReady(api, node.name), signal);
}

interface Node {
  readonly status: { readonly conditions: readonly { readonly type: string; readonly status: string }[] };
}

async function isNodeReady(api: KubernetesApi, name: string): Promise<boolean> {
  const { status } = await api.call<Node>('GET', `/api/v1/nodes/${name}`);
  return status.conditions.some((condition) => condition.type === 'Ready' && condition.status === 'True');
}

async function startExtensions({
  control,
  layout,
  programs,
  api,
  signal,
  firstNode,
}: Starting & { control: Machine; firstNode: string }) {
  const files = { certificates: layout.certificates, adminKubeconfig: layout.kubeconfig };
  const entry = join(import.meta.dirname, 'external-metrics-server.ts');
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

/** For people that of the administrator, in a place of its own. */
async function writeKubeconfigs(layout: ClusterLayout, nodes: readonly NodeLayout[]): Promise<void> {
  for (const name of ['controller-manager', 'scheduler', 'proxy', ...nodes.map((node) => node.name)]) {
    await writeFile(kubeconfigFile(layout, name), kubeconfig(layout.certificates, name), { mode: 0o600 });
  }
  await writeFile(layout.kubeconfig, kubeconfig(layout.certificates, 'admin'), { mode: 0o600 });
  await chmod(layout.dataDir, 0o711);
}

function kubeconfigFile(layout: ClusterLayout, name: string): string {
  return join(layout.certificates, `${name}.kubeconfig`);
}
