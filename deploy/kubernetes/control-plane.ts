/** The control plane's processes, in the order of their start. */
import { join } from 'node:path';
import type { Launch } from '../provision/launch.ts';
import { CONTROL_ADDRESS, EXTERNAL_METRICS_PORT, METRICS_SERVER_PORT, SERVICE_NETWORK } from './layout.ts';
import type { ClusterPrograms } from './programs.ts';

interface ControlPlaneFiles {
  /** Of etcd. */
  readonly dataFolder: string;
  readonly certificates: string;
  /** The kubeconfig of a certificate's holder. */
  kubeconfigOf(name: string): string;
}

export type ControlPlaneProgram = 'etcd' | 'api-server' | 'controller-manager' | 'scheduler';

/** The control plane has a machine of its own, so that the usual ports are free. */
const ETCD_CLIENTS = 'http://127.0.0.1:2379';
const ETCD_PEERS = 'http://127.0.0.1:2380';

export function controlPlane(
  programs: ClusterPrograms,
  { dataFolder, certificates, kubeconfigOf }: ControlPlaneFiles,
): Readonly<Record<ControlPlaneProgram, Launch>> {
  const file = (name: string) => join(certificates, name);
  return {
    etcd: {
      command: programs.etcd,
      args: [
        '--name=control',
        `--data-dir=${dataFolder}`,
        `--listen-client-urls=${ETCD_CLIENTS}`,
        `--advertise-client-urls=${ETCD_CLIENTS}`,
        `--listen-peer-urls=${ETCD_PEERS}`,
        `--initial-advertise-peer-urls=${ETCD_PEERS}`,
        `--initial-cluster=control=${ETCD_PEERS}`,
        // A cluster for an hour: what a power cut would cost is a start anew.
        '--unsafe-no-fsync',
      ],
    },
    'api-server': {
      command: programs.apiServer,
      args: [
        `--etcd-servers=${ETCD_CLIENTS}`,
        `--advertise-address=${CONTROL_ADDRESS}`,
        '--secure-port=6443',
        // No kube-proxy beside it: it goes to the addresses behind a Service by itself.
        '--enable-aggregator-routing=true',
        `--service-cluster-ip-range=${SERVICE_NETWORK}`,
        '--authorization-mode=Node,RBAC',
        '--enable-admission-plugins=NodeRestriction',
        // The default forbids privileged pods everywhere, which would hide what `restricted` forbids.
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
        `--kubeconfig=${kubeconfigOf('controller-manager')}`,
        `--service-account-private-key-file=${file('service-accounts.key')}`,
        `--root-ca-file=${file('ca.crt')}`,
        '--use-service-account-credentials=true',
        '--leader-elect=false',
        '--profiling=false',
      ],
    },
    scheduler: {
      command: programs.scheduler,
      args: [`--kubeconfig=${kubeconfigOf('scheduler')}`, '--leader-elect=false', '--profiling=false'],
    },
  };
}

export function dns({ coreDns }: ClusterPrograms, corefile: string): Launch {
  return { command: coreDns, args: ['-conf', corefile] };
}

/** Names within the cluster; there are no others here. */
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

interface ExtensionFiles {
  readonly certificates: string;
  readonly adminKubeconfig: string;
}

export function metricsServer(
  programs: ClusterPrograms,
  { certificates, adminKubeconfig }: ExtensionFiles,
): Launch {
  return {
    command: programs.metricsServer,
    args: [
      ...['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'].map(
        (flag) => `--${flag}=${adminKubeconfig}`,
      ),
      `--bind-address=${CONTROL_ADDRESS}`,
      `--secure-port=${METRICS_SERVER_PORT}`,
      `--tls-cert-file=${join(certificates, 'extensions.crt')}`,
      `--tls-private-key-file=${join(certificates, 'extensions.key')}`,
      `--kubelet-certificate-authority=${join(certificates, 'ca.crt')}`,
      '--kubelet-preferred-address-types=InternalIP',
      '--metric-resolution=15s',
    ],
  };
}

/** See external-metrics-server.ts. */
export function externalMetrics(
  node: { readonly command: string; readonly flags: readonly string[]; readonly entry: string },
  { certificates }: Pick<ExtensionFiles, 'certificates'>,
): Launch {
  return {
    command: node.command,
    args: [...node.flags, node.entry, certificates, String(EXTERNAL_METRICS_PORT)],
  };
}
