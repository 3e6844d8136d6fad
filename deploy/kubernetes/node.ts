/** A node's processes and their configuration. */
import { join } from 'node:path';
import type { Launch } from '../provision/launch.ts';
import {
  type ClusterLayout,
  CONTROL_ADDRESS,
  CONTROL_GROUP,
  kubeconfigFile,
  type NodeLayout,
  POD_NETWORK,
} from './layout.ts';
import { firewall } from './machine/firewall.ts';
import type { ClusterPrograms } from './programs.ts';

export const PAUSE_IMAGE = 'docker.io/library/audiosplit-pause:1';
export const CONTAINERD_SOCKET = '/run/containerd/containerd.sock';

/** By name below the node's folder; JSON is YAML. */
export function nodeFiles(
  node: NodeLayout,
  { cniFolder }: ClusterPrograms,
  layout: ClusterLayout,
): Readonly<Record<string, string>> {
  return {
    'containerd.toml': renderContainerdConfig(node, cniFolder),
    'cni/10-pods.conflist': json(networkOf(node)),
    'kubelet.json': json(kubeletConfiguration(node, layout.certificates)),
    'kube-proxy.json': json(proxyConfiguration(node, kubeconfigFile(layout, 'proxy'))),
  };
}

/** In start order. */
export function nodePrograms(
  node: NodeLayout,
  programs: ClusterPrograms,
  layout: ClusterLayout,
): Readonly<Record<'containerd' | 'kubelet' | 'kube-proxy' | 'firewall', Launch>> {
  return {
    containerd: { command: programs.containerd, args: ['--config', join(node.folder, 'containerd.toml')] },
    kubelet: {
      command: programs.kubelet,
      args: [
        `--config=${join(node.folder, 'kubelet.json')}`,
        `--kubeconfig=${kubeconfigFile(layout, node.name)}`,
        `--root-dir=${join(node.folder, 'kubelet')}`,
        `--cert-dir=${join(node.folder, 'kubelet/pki')}`,
        `--hostname-override=${node.name}`,
        `--node-ip=${node.address}`,
      ],
    },
    'kube-proxy': { command: programs.kubeProxy, args: [`--config=${join(node.folder, 'kube-proxy.json')}`] },
    firewall: firewall(programs.firewall, node, kubeconfigFile(layout, 'firewall')),
  };
}

function renderContainerdConfig(node: NodeLayout, cniFolder: string): string {
  const cri = 'plugins."io.containerd.grpc.v1.cri"';
  return `version = 2
root = "${join(node.folder, 'containerd')}"
state = "/run/containerd"
oom_score = 0
[grpc]
  address = "${CONTAINERD_SOCKET}"
[${cri}]
  sandbox_image = "${PAUSE_IMAGE}"
  # A root that may not protect processes from running out of memory (no CAP_SYS_RESOURCE) can still run pods.
  restrict_oom_score_adj = true
  [${cri}.cni]
    bin_dir = "${cniFolder}"
    conf_dir = "${join(node.folder, 'cni')}"
  [${cri}.containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
`;
}

function networkOf({ podNetwork }: NodeLayout) {
  return {
    cniVersion: '0.4.0',
    name: 'pods',
    plugins: [
      {
        type: 'bridge',
        bridge: 'pods',
        isGateway: true,
        // For a pod that calls its own Service.
        hairpinMode: true,
        ipam: {
          type: 'host-local',
          dataDir: '/run/cni',
          ranges: [[{ subnet: podNetwork }]],
          routes: [{ dst: '0.0.0.0/0' }],
        },
      },
    ],
  };
}

function kubeletConfiguration(node: NodeLayout, certificates: string) {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    containerRuntimeEndpoint: `unix://${CONTAINERD_SOCKET}`,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: join(certificates, 'ca.crt') },
    },
    authorization: { mode: 'Webhook' },
    tlsCertFile: join(certificates, `${node.name}.crt`),
    tlsPrivateKeyFile: join(certificates, `${node.name}.key`),
    clusterDomain: 'cluster.local',
    clusterDNS: [CONTROL_ADDRESS],
    // Pods resolve names of the cluster only.
    resolvConf: '',
    cgroupDriver: 'cgroupfs',
    cgroupRoot: `/${CONTROL_GROUP}/${node.name}`,
    failCgroupV1: false,
    failSwapOn: false,
    oomScoreAdj: 0,
    // Everything on this machine shares the disk, so images are kept, and pods are evicted only when almost
    // no space is left.
    evictionHard: {
      'memory.available': '100Mi',
      'nodefs.available': '100Mi',
      'imagefs.available': '100Mi',
      'nodefs.inodesFree': '1%',
      'imagefs.inodesFree': '1%',
    },
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
  };
}

function proxyConfiguration({ name, address }: NodeLayout, kubeconfig: string) {
  return {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    mode: 'iptables',
    clientConnection: { kubeconfig },
    hostnameOverride: name,
    bindAddress: address,
    clusterCIDR: POD_NETWORK,
    oomScoreAdj: 0,
    // The kernel's own size: a namespace may not set the size of the table.
    conntrack: { maxPerCore: 0, min: 0 },
  };
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
