/**
 * A Kubernetes on this machine, with the project's images. Control plane and nodes are machines of their own
 * (machine.ts). The state file lists the machines, so that stopCluster ends the remains of a failure, an
 * interruption or a kill.
 */
import { existsSync, readdirSync } from 'node:fs';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@audiosplit/chassis/errors';
import { lockState } from '../provision/lock.ts';
import { isAlive, type ProcessIdentity } from '../provision/process-identity.ts';
import { type Report, reportedTask, seconds } from '../provision/progress.ts';
import { ProvisionError } from '../provision/provision-error.ts';
import type { Task } from '../provision/task.ts';
import { openApi } from './access/api.ts';
import { certificatesOf, writeCertificates } from './access/certificates.ts';
import { kubeconfig } from './access/kubeconfig.ts';
import { saveImages } from './images.ts';
import {
  API_URL,
  type ClusterLayout,
  CONTROL_ADDRESS,
  clusterLayout,
  HOST_DEVICE,
  kubeconfigFile,
  type NodeLayout,
  nodesOf,
} from './layout.ts';
import { makeControlGroups } from './machine/control-groups.ts';
import { openMachine } from './machine/machine.ts';
import { assertAble, readMachineFacts } from './machine/machine-facts.ts';
import { joinNetwork, openNetwork } from './machine/network.ts';
import { ensureClusterPrograms } from './programs.ts';
import { startControlPlane, startExtensions, startNode } from './start-processes.ts';
import { type ClusterState, readState, writeState } from './state.ts';
import { endCluster } from './stop-cluster.ts';

/** Throws ProvisionError, which says what to do; everything started by then is stopped. */
export async function startCluster(dataDir: string, signal: AbortSignal, report: Report): Promise<void> {
  const startedMs = performance.now();
  assertAble(readMachineFacts());
  assertFree(dataDir);
  await mkdir(dataDir, { recursive: true });
  await using _lock = await lockState(dataDir);
  // The remains of a machine that was switched off have other certificates.
  await endCluster(dataDir, report);
  await mkdir(dataDir, { recursive: true });
  try {
    const state = await startMachines(clusterLayout(dataDir), reportedTask('cluster', report, signal));
    writeState(dataDir, state);
    report('cluster', `ready after ${seconds(startedMs)}`);
  } catch (error) {
    await endCluster(dataDir, report).catch((left) =>
      report('cluster', `not all of it could be ended: ${messageOf(left)}`),
    );
    throw error;
  }
}

/** Records what it starts, beginning with the first file that it writes into the folder. */
async function startMachines(layout: ClusterLayout, task: Task): Promise<ClusterState> {
  const machines: Record<string, ProcessIdentity> = {};
  const remember = () => writeState(layout.dataDir, { machines, isReady: false });
  remember();
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
      machines[name] = holder;
      remember();
    });
  };
  const control = await open('control');
  const network = { control, nodes, task };
  await openNetwork(network);
  using api = openApi(layout.certificates, API_URL);
  const starting = { layout, programs, api, task };
  await task.step('the control plane', () => startControlPlane(starting, control));
  for (const node of nodes) {
    const machine = await open(node.name);
    await joinNetwork(network, machine, node);
    await task.step(node.name, () => startNode(starting, machine, node, archive.path));
  }
  await rm(archive.path);
  await task.step('metrics', () => startExtensions(starting, control, nodes[0].name));
  // A process beside the API server resolves names, instead of pods.
  const dns = { to: [{ ipBlock: { cidr: `${CONTROL_ADDRESS}/32` } }] };
  await writeFile(layout.values, JSON.stringify({ ...archive.values, networkPolicies: { dns } }, null, 2));
  return { machines, isReady: true };
}

/** Throws ProvisionError if an existing cluster prevents another. */
function assertFree(dataDir: string): void {
  const state = readState(dataDir);
  if (Object.values(state?.machines ?? {}).some(isAlive)) {
    throw new ProvisionError(`a cluster runs in ${dataDir}: use it, or end it with npm run cluster -- down`);
  }
  if (existsSync(`/sys/class/net/${HOST_DEVICE}`)) {
    throw new ProvisionError('a cluster runs on this machine already: npm run cluster -- down --dir FOLDER');
  }
  // The folder is deleted with the cluster.
  if (existsSync(dataDir) && state === undefined && readdirSync(dataDir).length > 0) {
    throw new ProvisionError(`${dataDir} holds something else: name an empty or a new folder`);
  }
}

/**
 * One for each process that calls the API server, and the administrator's, for people, in a separate place.
 */
async function writeKubeconfigs(layout: ClusterLayout, nodes: readonly NodeLayout[]): Promise<void> {
  const members = ['controller-manager', 'scheduler', 'proxy', 'firewall'];
  const write = (file: string, name: string) =>
    writeFile(file, kubeconfig(layout.certificates, name, API_URL), { mode: 0o600 });
  for (const name of [...members, ...nodes.map((node) => node.name)])
    await write(kubeconfigFile(layout, name), name);
  await write(layout.kubeconfig, 'admin');
  // Pods of other users need to enter it to reach their volumes.
  await chmod(layout.dataDir, 0o711);
}
