/**
 * A control plane and kwok as processes of whoever calls, and nodes that kwok plays: no root, no namespaces, no images.
 *
 * Each process is remembered as soon as there is one, so that whoever ends the cluster finds it whatever happens next.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { spawnEngine } from '../../engines/engine-process.ts';
import { pinnedNode, sourceFlags } from '../../launcher/install.mjs';
import type { Launch } from '../../provision/launch.ts';
import { isAlive, type ProcessIdentity } from '../../provision/process-identity.ts';
import type { Task } from '../../provision/task.ts';
import { type KubernetesApi, type Manifest, openApi } from '../api.ts';
import { certificatesOf, writeCertificates } from '../certificates.ts';
import { controlPlane } from '../control-plane.ts';
import { apiService } from '../extensions.ts';
import { kubeconfig } from '../kubeconfig.ts';
import { type ClusterLayout, kubeconfigFile } from '../layout.ts';
import { isSchedulerHealthy } from '../probes.ts';
import { type ClusterProcess, untilReady } from '../processes.ts';
import { type LoopbackPorts, type SimulatedClusterState, writeState } from '../state.ts';
import { apiUrl, freePorts, LOOPBACK, loopbackNetwork } from './layout.ts';
import { areNodesReady, createNodes, kwok } from './nodes.ts';
import { playedManifest } from './played-metrics.ts';
import { ensureSimulatedPrograms, type SimulatedPrograms } from './programs.ts';
import { IDLE, valuesForSimulation } from './values.ts';

/** By the names of the Services that the certificate is for. */
const EXTENSIONS = { 'metrics-server': 'metrics.k8s.io', 'external-metrics': 'external.metrics.k8s.io' };
const SERVICE_ACCOUNT = '/api/v1/namespaces/default/serviceaccounts/default';

interface Starting {
  readonly layout: ClusterLayout;
  readonly ports: LoopbackPorts;
  readonly programs: SimulatedPrograms;
  readonly api: KubernetesApi;
  readonly signal: AbortSignal;
  run(name: string, launch: Launch): Promise<ClusterProcess>;
}

/** Resolves when the nodes are ready, and with what is to be remembered. Throws ProvisionError. */
export async function startSimulatedCluster(
  layout: ClusterLayout,
  task: Task,
): Promise<SimulatedClusterState> {
  const programs = await ensureSimulatedPrograms(task);
  const processes: Record<string, ProcessIdentity> = {};
  const state = { nodes: 'simulated', ports: await freePorts(), processes } as const;
  const { ports } = state;
  writeState(layout.dataDir, { ...state, isReady: false });
  await mkdir(layout.logs, { recursive: true });
  await writeCertificates(layout.certificates, certificatesOf([]), task);
  await writeKubeconfigs(layout, apiUrl(ports));
  await writeFile(layout.values, JSON.stringify(valuesForSimulation(), null, 2));

  const run = async (name: string, launch: Launch) => {
    const folder = join(layout.dataDir, name);
    await mkdir(folder, { recursive: true });
    const logFile = join(layout.logs, `${name}.log`);
    const identity = await spawnEngine(launch, folder, logFile);
    processes[name] = identity;
    writeState(layout.dataDir, { ...state, isReady: false });
    return { name, identity, logFile };
  };
  using api = openApi(layout.certificates, apiUrl(ports));
  const starting = { layout, ports, programs, api, run, signal: task.signal };
  await task.step('the control plane', () => startControlPlane(starting));
  await task.step('nodes, by kwok', () => startNodes(starting));
  await task.step('metrics, by a ConfigMap', () => startMetrics(starting));
  return { ...state, isReady: true };
}

async function startControlPlane({ layout, ports, programs, api, signal, run }: Starting): Promise<void> {
  const launches = controlPlane(
    programs,
    {
      dataFolder: join(layout.dataDir, 'etcd/data'),
      certificates: layout.certificates,
      kubeconfigOf: (name) => kubeconfigFile(layout, name),
    },
    loopbackNetwork(ports),
  );
  const etcd = await run('etcd', launches.etcd);
  const apiServer = await run('api-server', launches['api-server']);
  const answers = async () => (await api.call('GET', '/readyz')) === 'ok' && isAlive(etcd.identity);
  await untilReady(apiServer, answers, signal);
  const controllerManager = await run('controller-manager', launches['controller-manager']);
  const scheduler = await run('scheduler', launches.scheduler);
  await untilReady(controllerManager, async () => Boolean(await api.call('GET', SERVICE_ACCOUNT)), signal);
  await untilReady(scheduler, () => isSchedulerHealthy(LOOPBACK, ports.scheduler), signal);
}

async function startNodes({ layout, programs, api, signal, run }: Starting): Promise<void> {
  await createNodes(api);
  const controller = await run('kwok', kwok(programs, layout.kubeconfig));
  await untilReady(controller, () => areNodesReady(api), signal);
  await api.apply(PRIORITY_CLASS);
}

async function startMetrics({ layout, ports, api, signal, run }: Starting): Promise<void> {
  await api.apply(playedManifest(IDLE));
  const server = await run('metrics', {
    command: pinnedNode,
    args: [
      ...sourceFlags,
      join(import.meta.dirname, 'metrics-server.ts'),
      layout.certificates,
      apiUrl(ports),
      String(ports.metrics),
    ],
  });
  const authority = await readFile(join(layout.certificates, 'ca.crt'), 'utf8');
  for (const manifest of extensionManifests(ports.metrics, authority)) await api.apply(manifest);
  for (const group of Object.values(EXTENSIONS)) {
    await untilReady(server, async () => Boolean(await api.call('GET', `/apis/${group}/v1beta1`)), signal);
  }
}

/** An EndpointSlice may not name a loopback address; a Service may have one for its name. */
export function extensionManifests(port: number, authority: string): readonly Manifest[] {
  return Object.entries(EXTENSIONS).flatMap(([name, group]) => [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace: 'kube-system' },
      spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port, protocol: 'TCP' }] },
    },
    apiService(name, port, group, authority),
  ]);
}

/** The one that ci/ha-values.yaml names. */
const PRIORITY_CLASS: Manifest = {
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name: 'audiosplit' },
  value: 1000,
};

async function writeKubeconfigs(layout: ClusterLayout, url: string): Promise<void> {
  for (const name of ['controller-manager', 'scheduler']) {
    await writeFile(kubeconfigFile(layout, name), kubeconfig(layout.certificates, name, url), {
      mode: 0o600,
    });
  }
  await writeFile(layout.kubeconfig, kubeconfig(layout.certificates, 'admin', url), { mode: 0o600 });
}
