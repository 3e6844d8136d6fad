/**
 * A Kubernetes on this machine: control plane and nodes, each a machine of its own (machine.ts), with the project's images.
 *
 * What is there after a failure, an interruption or a kill is found by the state file and ended by stopCluster, as
 * everything lives in the machines that it names.
 */
import { existsSync, readdirSync } from 'node:fs';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@audiosplit/chassis/errors';
import { isAlive } from '../../engines/process-identity.ts';
import { type Report, reportedTask, seconds } from '../../engines/progress.ts';
import { ProvisionError } from '../../engines/provision-error.ts';
import { lockState } from '../../engines/state-lock.ts';
import { openApi } from './api.ts';
import { certificatesOf, writeCertificates } from './certificates.ts';
import { clusterValues } from './chart-values.ts';
import { makeControlGroups } from './control-groups.ts';
import { saveImages } from './images.ts';
import { kubeconfig } from './kubeconfig.ts';
import {
  type ClusterLayout,
  clusterLayout,
  HOST_DEVICE,
  kubeconfigFile,
  type NodeLayout,
  nodesOf,
} from './layout.ts';
import { openMachine } from './machine.ts';
import { joinNetwork, openNetwork } from './network.ts';
import { ensureClusterPrograms } from './programs.ts';
import { startControlPlane, startExtensions, startNode } from './start-processes.ts';
import { readState, writeState } from './state.ts';
import { endCluster } from './stop-cluster.ts';

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
  // What a machine that was switched off has left is of other certificates.
  await endCluster(options.dataDir, options.report);
  await mkdir(options.dataDir, { recursive: true });
  writeState(options.dataDir, { machines: {}, isReady: false });
  try {
    await start(options);
  } catch (error) {
    await endCluster(options.dataDir, options.report).catch((left) =>
      options.report('cluster', `not all of it could be ended: ${messageOf(left)}`),
    );
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
  await writeFile(layout.values, JSON.stringify({ ...archive.values, ...clusterValues() }, null, 2));
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
  if (existsSync(`/sys/class/net/${HOST_DEVICE}`)) {
    throw new ProvisionError('a cluster runs on this machine already: npm run cluster:down, with its --dir');
  }
  // The folder is deleted with the cluster.
  if (existsSync(dataDir) && readState(dataDir) === undefined && readdirSync(dataDir).length > 0) {
    throw new ProvisionError(`${dataDir} holds something else: name an empty or a new folder`);
  }
}

/** One for each process that asks the API server, and the administrator's, for people, in a place of its own. */
async function writeKubeconfigs(layout: ClusterLayout, nodes: readonly NodeLayout[]): Promise<void> {
  const members = ['controller-manager', 'scheduler', 'proxy', 'firewall'];
  for (const name of [...members, ...nodes.map((node) => node.name)]) {
    await writeFile(kubeconfigFile(layout, name), kubeconfig(layout.certificates, name), { mode: 0o600 });
  }
  await writeFile(layout.kubeconfig, kubeconfig(layout.certificates, 'admin'), { mode: 0o600 });
  // Pods of other users pass through it on their way to their volumes.
  await chmod(layout.dataDir, 0o711);
}
