/** The programs of the cluster: Kubernetes and related ones from their Go modules, the rest from Debian. */
import { dirname, join } from 'node:path';
import { installPackages } from '../provision/debian-packages.ts';
import { findExecutable } from '../provision/executable.ts';
import { ensureGoProgram, type GoProgram } from '../provision/go-program.ts';
import type { Task } from '../provision/task.ts';
import { versions } from '../provision/versions.ts';
import { FIREWALL } from './machine/firewall.ts';

/**
 * k8s.io/kubernetes refers to folders of its own repository for these; each is a module with the same number
 * after v0.
 */
const STAGING = [
  ...['api', 'apiextensions-apiserver', 'apimachinery', 'apiserver', 'cli-runtime', 'client-go'],
  ...['cloud-provider', 'cluster-bootstrap', 'code-generator', 'component-base', 'component-helpers'],
  ...['controller-manager', 'cri-api', 'cri-client', 'cri-streaming', 'csi-translation-lib'],
  ...['dynamic-resource-allocation', 'endpointslice', 'externaljwt', 'kms', 'kube-aggregator'],
  ...['kube-controller-manager', 'kube-proxy', 'kube-scheduler', 'kubectl', 'kubelet', 'metrics'],
  ...[
    'mount-utils',
    'pod-security-admission',
    'sample-apiserver',
    'sample-cli-plugin',
    'sample-controller',
    'streaming',
  ],
];

/** Required by any build of a Kubernetes program. */
export const STAGING_REPLACEMENTS: readonly string[] = STAGING.map(
  (name) => `k8s.io/${name}=k8s.io/${name}@v${versions.kubernetes.replace('1.', '0.')}`,
);
const KUBERNETES_LDFLAGS = `-s -w -X k8s.io/component-base/version.gitVersion=v${versions.kubernetes}`;

/**
 * One build for all, because they share most of their compile time. etcd's server is a dependency of the API
 * server's tests.
 */
const KUBERNETES: GoProgram = {
  name: 'kubernetes',
  package: 'k8s.io/kubernetes/cmd/kube-apiserver',
  executable: 'kube-apiserver',
  version: versions.kubernetes,
  minimumGo: '1.26.4',
  inModule: {
    module: 'k8s.io/kubernetes',
    replacements: STAGING_REPLACEMENTS,
    requirements: ['sigs.k8s.io/metrics-server@v0.9.0', 'github.com/coredns/coredns@v1.14.3'],
    ldflags: KUBERNETES_LDFLAGS,
    morePackages: [
      ...['kube-controller-manager', 'kube-scheduler', 'kubelet', 'kube-proxy'].map(
        (name) => `k8s.io/kubernetes/cmd/${name}`,
      ),
      'go.etcd.io/etcd/server/v3',
      'sigs.k8s.io/metrics-server/cmd/metrics-server',
    ],
    sources: join(import.meta.dirname, 'go'),
  },
};

/** Programs and their Debian packages. */
const NEEDED_OF_DEBIAN = {
  containerd: 'containerd',
  ctr: 'containerd',
  runc: 'runc',
  iptables: 'iptables',
  ipset: 'ipset',
  ip: 'iproute2',
  openssl: 'openssl',
};
const CNI_PACKAGE = 'containernetworking-plugins';
/** The folders of network plug-ins: Debian's, and the usual one. */
const CNI_FOLDERS = ['/usr/lib/cni', '/opt/cni/bin'];

export type ClusterPrograms = Awaited<ReturnType<typeof ensureClusterPrograms>>;

/** Resolves with their paths. Throws ProvisionError, which says what to do. */
export async function ensureClusterPrograms(task: Task) {
  const folder = dirname(await ensureGoProgram(KUBERNETES, task));
  const built = (name: string) => join(folder, name);
  return {
    // etcd's main package is called server.
    etcd: built('server'),
    apiServer: built('kube-apiserver'),
    controllerManager: built('kube-controller-manager'),
    scheduler: built('kube-scheduler'),
    kubelet: built('kubelet'),
    kubeProxy: built('kube-proxy'),
    firewall: await ensureGoProgram(FIREWALL, task),
    coreDns: built('coredns'),
    metricsServer: built('metrics-server'),
    pause: built('pause'),
    ...(await ensurePackages(task)),
  };
}

async function ensurePackages(task: Task) {
  const missing = Object.entries(NEEDED_OF_DEBIAN).filter(([name]) => findExecutable(name) === undefined);
  const packages = new Set(missing.map(([, name]) => name));
  if (findExecutable('bridge', CNI_FOLDERS) === undefined) packages.add(CNI_PACKAGE);
  if (packages.size > 0) await installPackages([...packages], 'what a node runs', task);
  return {
    containerd: installed('containerd'),
    ctr: installed('ctr'),
    cniFolder: dirname(installed('bridge', CNI_FOLDERS)),
  };
}

function installed(name: string, folders?: readonly string[]): string {
  const path = findExecutable(name, folders);
  if (path === undefined) throw new Error(`no ${name}, though apt-get installed it`);
  return path;
}
