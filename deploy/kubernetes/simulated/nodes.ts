/** Nodes that are there in name alone: what a kubelet would say of a machine of 8 processors and 32 GiB, said for it. */
import { join } from 'node:path';
import type { Launch } from '../../provision/launch.ts';
import type { KubernetesApi } from '../api.ts';
import { isReady, type WithConditions } from '../conditions.ts';
import { type SimulatedNode, simulatedNodes } from './layout.ts';
import type { SimulatedPrograms } from './programs.ts';

const NODES = '/api/v1/nodes';
const CAPACITY = { cpu: '8', memory: '32Gi', 'ephemeral-storage': '100Gi', pods: '110' };
/** Less what the system and the kubelet keep for themselves. */
const ALLOCATABLE = { cpu: '7910m', memory: '29Gi', 'ephemeral-storage': '89Gi', pods: '110' };
/** How nodes begin and stay alive, and how pods do: a second or several for each step of their lives. */
const STAGES = ['node/fast', 'node/heartbeat-with-lease', 'pod/general'];

interface Node extends WithConditions {
  readonly spec: { readonly taints?: readonly unknown[] };
}

/** kwok's controller, which plays them. */
export function kwok(programs: Pick<SimulatedPrograms, 'kwok' | 'stages'>, kubeconfig: string): Launch {
  return {
    command: programs.kwok,
    args: [
      `--kubeconfig=${kubeconfig}`,
      ...STAGES.map((stage) => `--config=${join(programs.stages, stage)}`),
      '--manage-all-nodes=true',
      '--node-lease-duration-seconds=40',
    ],
  };
}

export async function createNodes(api: KubernetesApi): Promise<void> {
  for (const node of simulatedNodes()) await api.call('POST', NODES, nodeManifest(node));
}

/** Ready, and open to pods. */
export async function areNodesReady(api: KubernetesApi): Promise<boolean> {
  const nodes = await api.list<Node>(NODES);
  return nodes.every((node) => isReady(node) && (node.spec.taints ?? []).length === 0);
}

export function nodeManifest({ name, zone, address, podNetwork }: SimulatedNode) {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'topology.kubernetes.io/region': 'here',
        'topology.kubernetes.io/zone': zone,
      },
    },
    spec: { podCIDR: podNetwork, podCIDRs: [podNetwork] },
    status: {
      capacity: CAPACITY,
      allocatable: ALLOCATABLE,
      addresses: [
        { type: 'InternalIP', address },
        { type: 'Hostname', address: name },
      ],
    },
  };
}
