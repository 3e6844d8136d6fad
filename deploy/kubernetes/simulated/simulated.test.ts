import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathOf } from '../api.ts';
import { certificatesOf } from '../certificates.ts';
import { parseTestArguments, parseUpArguments } from '../command-line.ts';
import { controlPlane } from '../control-plane.ts';
import type { LoopbackPorts } from '../state.ts';
import { apiUrl, freePorts, loopbackNetwork, simulatedNodes } from './layout.ts';
import { kwok, nodeManifest } from './nodes.ts';
import {
  externalValue,
  milliCpu,
  type PlayedPod,
  playedManifest,
  podMetricsList,
  podsAskedFor,
} from './played-metrics.ts';
import { extensionManifests } from './start.ts';
import { BACKLOG } from './values.ts';

const PROGRAMS = { etcd: 'etcd', apiServer: 'api', controllerManager: 'cm', scheduler: 's' };
const PORTS: LoopbackPorts = {
  etcdClients: 1001,
  etcdPeers: 1002,
  apiServer: 1003,
  controllerManager: 1004,
  scheduler: 1005,
  metrics: 1006,
};
const FILES = { certificates: '/c', dataFolder: '/d', kubeconfigOf: (name: string) => `/c/${name}` };
const NOW = new Date('2026-11-22T06:00:00Z');

test('every zone has two nodes, so that one of them can be drained, and neighbours are of different zones', () => {
  const nodes = simulatedNodes();
  const zones = Map.groupBy(nodes, ({ zone }) => zone);
  assert.deepEqual(
    [...zones.values()].map(({ length }) => length),
    [2, 2, 2],
  );
  assert.ok(nodes.every(({ zone }, index) => zone !== nodes[index + 1]?.zone));
  assert.equal(new Set(nodes.map(({ podNetwork }) => podNetwork)).size, nodes.length);
});

test('a node says where it is, and keeps something of its capacity for itself', () => {
  const [node] = simulatedNodes();
  assert.ok(node);
  const { metadata, status } = nodeManifest(node);
  assert.equal(metadata.labels['topology.kubernetes.io/zone'], node.zone);
  assert.equal(metadata.labels['kubernetes.io/hostname'], node.name);
  assert.ok(milliCpu(status.allocatable.cpu) < milliCpu(status.capacity.cpu));
});

test('nobody but this machine reaches the control plane, each process at a port of its own', () => {
  const launches = controlPlane(PROGRAMS, FILES, loopbackNetwork(PORTS));
  for (const name of ['api-server', 'controller-manager', 'scheduler'] as const) {
    assert.ok(launches[name].args.includes('--bind-address=127.0.0.1'), name);
  }
  const ports = Object.values(launches).flatMap(({ args }) =>
    args.flatMap((arg) => /^--secure-port=(\d+)$/.exec(arg)?.[1] ?? []),
  );
  assert.deepEqual(ports, ['1003', '1004', '1005']);
  assert.ok(launches.etcd.args.includes('--listen-client-urls=http://127.0.0.1:1001'));
  assert.ok(launches['api-server'].args.includes('--etcd-servers=http://127.0.0.1:1001'));
  assert.equal(apiUrl(PORTS), 'https://127.0.0.1:1003');
});

test('two clusters started at once have no port in common', async () => {
  const ports = [...Object.values(await freePorts()), ...Object.values(await freePorts())];
  assert.equal(new Set(ports).size, 12);
});

test('kwok plays all nodes by stages of its own', () => {
  const { command, args } = kwok({ kwok: '/bin/kwok', stages: '/stages' }, '/k');
  assert.equal(command, '/bin/kwok');
  assert.ok(args.includes('--config=/stages/pod/general'));
  assert.ok(args.includes('--manage-all-nodes=true'));
});

test('metrics are found at this machine, by names that the certificate has', () => {
  const manifests = extensionManifests(1006, 'PEM');
  const services = manifests.filter(({ kind }) => kind === 'Service');
  const names = certificatesOf([]).find(({ name }) => name === 'extensions')?.alternativeNames;
  assert.deepEqual(
    services.map(({ metadata }) => `DNS:${metadata.name}.${metadata.namespace}.svc`),
    names,
  );
  assert.deepEqual(
    manifests.filter(({ kind }) => kind === 'APIService').map(pathOf),
    ['metrics.k8s.io', 'external.metrics.k8s.io'].map(
      (group) => `/apis/apiregistration.k8s.io/v1/apiservices/v1beta1.${group}`,
    ),
  );
});

test('what is played is read back, and what is not played has no value', () => {
  const { data } = playedManifest({ external: { [BACKLOG]: 12 }, cpuPercent: {} });
  const played = data as Readonly<Record<string, string>>;
  assert.equal(externalValue(played, BACKLOG), 12);
  assert.equal(externalValue(played, 'another'), undefined);
});

test('a pod uses the percentage of its component, or else that of all, and only when it is ready', () => {
  const pod = (component: string, cpu: string, ready: boolean): PlayedPod => ({
    metadata: { name: component, labels: { 'app.kubernetes.io/component': component } },
    spec: { containers: [{ name: 'one', resources: { requests: { cpu } } }, { name: 'two' }] },
    status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  });
  const { data } = playedManifest({ external: {}, cpuPercent: { '*': 10, gateway: 140 } });
  const pods = [pod('gateway', '250m', true), pod('splitter', '2', true), pod('jobs', '1', false)];
  const { items } = podMetricsList(data as Readonly<Record<string, string>>, 'shop', pods, NOW);
  assert.deepEqual(
    items.map(({ metadata, containers }) => [metadata.name, containers.map(({ usage }) => usage.cpu)]),
    [
      ['gateway', ['350m', '0m']],
      ['splitter', ['200m', '0m']],
    ],
  );
});

test('pods are asked for by their namespace, and nothing else is', () => {
  const asked = (path: string) => podsAskedFor(new URL(path, 'https://localhost'));
  assert.equal(asked('/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods?labelSelector=a%3Db'), 'shop');
  assert.equal(asked('/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods/one'), undefined);
  assert.equal(asked('/apis/metrics.k8s.io/v1beta1/nodes'), undefined);
});

test('nodes are asked for by their kind, and no other word is taken', () => {
  assert.equal(parseUpArguments(['--nodes', 'simulated']).nodes, 'simulated');
  assert.equal(parseTestArguments([]).nodes, undefined);
  assert.throws(() => parseTestArguments(['--nodes', 'fake']), /real or simulated/);
});
