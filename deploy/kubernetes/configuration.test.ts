import assert from 'node:assert/strict';
import { BlockList } from 'node:net';
import { test } from 'node:test';
import { pathOf } from './access/api.ts';
import { certificateRequest, certificatesOf } from './access/certificates.ts';
import { DOWN, parseClusterArguments, UP } from './command-line.ts';
import { controlPlane, renderCorefile } from './control-plane.ts';
import { extensionManifests } from './extensions.ts';
import * as layout from './layout.ts';
import { firewallRights } from './machine/firewall.ts';
import { nodeFiles, nodePrograms } from './node.ts';
import type { ClusterPrograms } from './programs.ts';

const PROGRAMS: ClusterPrograms = {
  etcd: '/bin/etcd',
  apiServer: '/bin/api-server',
  controllerManager: '/bin/controller-manager',
  scheduler: '/bin/scheduler',
  kubelet: '/bin/kubelet',
  kubeProxy: '/bin/kube-proxy',
  firewall: '/bin/firewall',
  coreDns: '/bin/coredns',
  metricsServer: '/bin/metrics-server',
  pause: '/bin/pause',
  containerd: '/usr/bin/containerd',
  ctr: '/usr/bin/ctr',
  cniFolder: '/usr/lib/cni',
};
const cluster = { ...layout.clusterLayout('/data'), certificates: '/c' };
const [first, second] = layout.nodesOf('/data');

function contains(network: string, address: string): boolean {
  const list = new BlockList();
  const [base = '', prefix] = network.split('/');
  list.addSubnet(base, Number(prefix));
  return list.check(address);
}

test('pods of each node, services and machines have separate networks', () => {
  const within = (network: string) => network.split('/')[0] ?? '';
  assert.ok(contains(layout.POD_NETWORK, within(first.podNetwork)));
  assert.ok(contains(layout.POD_NETWORK, within(second.podNetwork)));
  assert.ok(!contains(first.podNetwork, within(second.podNetwork)));
  assert.ok(!contains(layout.POD_NETWORK, within(layout.SERVICE_NETWORK)));
  assert.ok(contains(layout.SERVICE_NETWORK, layout.API_SERVICE_ADDRESS));
  for (const address of [layout.CONTROL_ADDRESS, layout.HOST_ADDRESS, first.address, second.address]) {
    assert.ok(!contains(layout.POD_NETWORK, address) && !contains(layout.SERVICE_NETWORK, address), address);
  }
});

test('a node may act only as itself, and answers under its own address', () => {
  const node = certificatesOf([first]).find(({ name }) => name === 'node-1');
  assert.ok(node);
  const args = certificateRequest('/c', node);
  assert.ok(args.includes('/O=system:nodes/CN=system:node:node-1'));
  assert.ok(args.includes(`subjectAltName=DNS:node-1,IP:${first.address}`));
  assert.equal(args[args.indexOf('-CA') + 1], '/c/ca.crt');
});

test('the front proxy has its own authority, so that no member can impersonate another', () => {
  const others = certificatesOf([first, second]).filter(({ authority }) => authority !== 'ca');
  assert.deepEqual(
    others.map(({ name, authority }) => [name, authority]),
    [['front-proxy', 'front-proxy-ca']],
  );
});

test('every file in the arguments of the control plane is created', () => {
  const made = new Set([
    ...['ca', 'front-proxy-ca', ...certificatesOf([]).map(({ name }) => name)].flatMap((name) => [
      `/c/${name}.crt`,
      `/c/${name}.key`,
    ]),
    '/c/service-accounts.key',
    ...['controller-manager', 'scheduler'].map((name) => layout.kubeconfigFile(cluster, name)),
  ]);
  const launches = controlPlane(PROGRAMS, cluster);
  const paths = Object.values(launches).flatMap(({ args }) =>
    args.flatMap((arg) => /=(\/c\/.+)$/.exec(arg)?.[1] ?? []),
  );
  assert.ok(paths.length > 10);
  assert.deepEqual(
    paths.filter((path) => !made.has(path)),
    [],
  );
});

test('the files of a node are JSON where expected, and name its own folder and network', () => {
  const written = nodeFiles(second, PROGRAMS, cluster);
  const kubelet = JSON.parse(written['kubelet.json'] ?? '');
  assert.equal(kubelet.cgroupRoot, '/audiosplit-cluster/node-2');
  assert.deepEqual(kubelet.clusterDNS, [layout.CONTROL_ADDRESS]);
  const network = JSON.parse(written['cni/10-pods.conflist'] ?? '');
  assert.deepEqual(network.plugins[0].ipam.ranges, [[{ subnet: second.podNetwork }]]);
  assert.match(written['containerd.toml'] ?? '', /^root = "\/data\/node-2\/containerd"$/m);
});

test('names are resolved at the address that nodes query', () => {
  assert.match(renderCorefile('/data/kubeconfig'), new RegExp(`bind ${layout.CONTROL_ADDRESS}\\n`));
});

test('the firewall has read access, as the subject of its certificate', () => {
  const [role, binding] = firewallRights();
  const rules = role?.rules as readonly { readonly verbs: readonly string[] }[];
  assert.ok(rules.every(({ verbs }) => verbs.every((verb) => ['get', 'list', 'watch'].includes(verb))));
  const subjects = binding?.subjects as readonly { readonly name: string }[] | undefined;
  const certificate = certificatesOf([]).find(({ name }) => name === 'firewall');
  assert.equal(certificate?.commonName, subjects?.[0]?.name);
  assert.ok(certificate?.commonName);
  assert.equal(certificate?.organization, undefined);
});

test('the firewall belongs to its node, and knows which addresses are Services', () => {
  const { args } = nodePrograms(second, PROGRAMS, cluster).firewall;
  assert.ok(args.includes('--hostname-override=node-2'));
  assert.ok(args.includes(`--service-cluster-ip-range=${layout.SERVICE_NETWORK}`));
});

test('objects are found at the API paths of their kinds', () => {
  const paths = extensionManifests('PEM').map(pathOf);
  assert.deepEqual(paths.slice(0, 3), [
    '/api/v1/namespaces/kube-system/services/metrics-server',
    '/apis/discovery.k8s.io/v1/namespaces/kube-system/endpointslices/metrics-server',
    '/apis/apiregistration.k8s.io/v1/apiservices/v1beta1.metrics.k8s.io',
  ]);
  const priority = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'high' } };
  assert.equal(pathOf(priority), '/apis/scheduling.k8s.io/v1/priorityclasses/high');
});

test('wrong arguments are answered with the command that lists the valid ones', () => {
  assert.deepEqual(parseClusterArguments(UP, ['--dir', '/data']), { help: false, dir: '/data' });
  assert.equal(parseClusterArguments(DOWN, []).dir, layout.DEFAULT_DATA_DIR);
  assert.throws(() => parseClusterArguments(UP, ['--node', '3']), /see npm run cluster -- up --help/);
});
