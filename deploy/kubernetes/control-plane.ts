/** The processes in the control plane's machine, in the order of their start. */
import { join } from 'node:path';
import { pinnedNode, sourceFlags } from '../launcher.mjs';
import type { Launch } from '../provision/launch.ts';
import {
  type ClusterLayout,
  CONTROL_ADDRESS,
  kubeconfigFile,
  METRICS_SERVER_PORT,
  SERVICE_NETWORK,
} from './layout.ts';
import type { ClusterPrograms } from './programs.ts';

/** The control plane has a machine of its own, so that the usual ports are free. */
const ETCD_CLIENTS = 'http://127.0.0.1:2379';
const ETCD_PEERS = 'http://127.0.0.1:2380';

export function controlPlane(programs: ClusterPrograms, layout: ClusterLayout) {
  const file = (name: string) => join(layout.certificates, name);
  return {
    etcd: {
      command: programs.etcd,
      args: [
        '--name=control',
        `--data-dir=${join(controlFolder(layout), 'etcd')}`,
        `--listen-client-urls=${ETCD_CLIENTS}`,
        `--advertise-client-urls=${ETCD_CLIENTS}`,
        `--listen-peer-urls=${ETCD_PEERS}`,
        `--initial-advertise-peer-urls=${ETCD_PEERS}`,
        `--initial-cluster=control=${ETCD_PEERS}`,
        // The cluster lives for an hour: after a power failure it is simply started again.
        '--unsafe-no-fsync',
      ],
    },
    'api-server': {
      command: programs.apiServer,
      args: [
        `--etcd-servers=${ETCD_CLIENTS}`,
        `--advertise-address=${CONTROL_ADDRESS}`,
        '--secure-port=6443',
        // There is no kube-proxy beside it, so it calls the addresses behind a Service directly.
        '--enable-aggregator-routing=true',
        `--service-cluster-ip-range=${SERVICE_NETWORK}`,
        '--authorization-mode=Node,RBAC',
        '--enable-admission-plugins=NodeRestriction',
        // The default forbids privileged pods everywhere, which would hide the restrictions of `restricted`.
        '--allow-privileged=true',
        '--anonymous-auth=false',
        `--client-ca-file=${file('ca.crt')}`,
        `--tls-cert-file=${file('api-server.crt')}`,
        `--tls-private-key-file=${file('api-server.key')}`,
        `--kubelet-certificate-authority=${file('ca.crt')}`,
        `--kubelet-client-certificate=${file('admin.crt')}`,
        `--kubelet-client-key=${file('admin.key')}`,
        '--kubelet-preferred-address-types=InternalIP',
        '--service-account-issuer=https://kubernetes.default.svc',
        `--service-account-key-file=${file('service-accounts.key')}`,
        `--service-account-signing-key-file=${file('service-accounts.key')}`,
        `--requestheader-client-ca-file=${file('front-proxy-ca.crt')}`,
        '--requestheader-allowed-names=front-proxy',
        '--requestheader-username-headers=X-Remote-User',
        '--requestheader-group-headers=X-Remote-Group',
        '--requestheader-extra-headers-prefix=X-Remote-Extra-',
        `--proxy-client-cert-file=${file('front-proxy.crt')}`,
        `--proxy-client-key-file=${file('front-proxy.key')}`,
        '--profiling=false',
      ],
    },
    'controller-manager': {
      command: programs.controllerManager,
      args: [
        `--kubeconfig=${kubeconfigFile(layout, 'controller-manager')}`,
        `--service-account-private-key-file=${file('service-accounts.key')}`,
        `--root-ca-file=${file('ca.crt')}`,
        '--use-service-account-credentials=true',
        '--leader-elect=false',
        '--profiling=false',
      ],
    },
    scheduler: {
      command: programs.scheduler,
      args: [
        `--kubeconfig=${kubeconfigFile(layout, 'scheduler')}`,
        '--leader-elect=false',
        '--profiling=false',
      ],
    },
    dns: { command: programs.coreDns, args: ['-conf', corefileOf(layout)] },
  } satisfies Readonly<Record<string, Launch>>;
}

export function controlFolder({ dataDir }: ClusterLayout): string {
  return join(dataDir, 'control');
}

export function corefileOf(layout: ClusterLayout): string {
  return join(controlFolder(layout), 'Corefile');
}

/** Resolves names within the cluster only. */
export function renderCorefile(adminKubeconfig: string): string {
  return `cluster.local in-addr.arpa {
  bind ${CONTROL_ADDRESS}
  errors
  kubernetes cluster.local in-addr.arpa {
    kubeconfig ${adminKubeconfig}
  }
  cache 5
}
`;
}

/** The API server's extensions, by their names. */
export function extensions(
  programs: ClusterPrograms,
  { certificates, kubeconfig }: ClusterLayout,
): Readonly<Record<'metrics-server' | 'external-metrics', Launch>> {
  return {
    'metrics-server': {
      command: programs.metricsServer,
      args: [
        ...['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'].map(
          (flag) => `--${flag}=${kubeconfig}`,
        ),
        `--bind-address=${CONTROL_ADDRESS}`,
        `--secure-port=${METRICS_SERVER_PORT}`,
        `--tls-cert-file=${join(certificates, 'extensions.crt')}`,
        `--tls-private-key-file=${join(certificates, 'extensions.key')}`,
        `--kubelet-certificate-authority=${join(certificates, 'ca.crt')}`,
        '--kubelet-preferred-address-types=InternalIP',
        '--metric-resolution=15s',
      ],
    },
    'external-metrics': {
      command: pinnedNode,
      args: [...sourceFlags, join(import.meta.dirname, 'metrics/external-metrics-server.ts'), certificates],
    },
  };
}
