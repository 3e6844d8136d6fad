/** Objects created once the API server answers: its two extensions, and volumes for claims. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubernetesApi, Manifest } from './access/api.ts';
import { CONTROL_ADDRESS, EXTERNAL_METRICS_PORT, METRICS_SERVER_PORT } from './layout.ts';

const NAMESPACE = 'kube-system';
/** As many as the chart's trial engines claim. */
const VOLUMES = ['disk-1', 'disk-2', 'disk-3', 'disk-4'];

/** `authority`: the certificate, in PEM, of the authority that signed theirs. */
export function extensionManifests(authority: string): readonly Manifest[] {
  return [
    ...extension('metrics-server', METRICS_SERVER_PORT, 'metrics.k8s.io', authority),
    ...extension('external-metrics', EXTERNAL_METRICS_PORT, 'external.metrics.k8s.io', authority),
  ];
}

/** They run beside the API server and not in pods, so their Services point to an address. */
function extension(name: string, port: number, group: string, authority: string): readonly Manifest[] {
  const metadata = { name, namespace: NAMESPACE };
  const ports = [{ name: 'https', port, protocol: 'TCP' }];
  return [
    { apiVersion: 'v1', kind: 'Service', metadata, spec: { ports } },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { ...metadata, labels: { 'kubernetes.io/service-name': name } },
      addressType: 'IPv4',
      ports,
      endpoints: [{ addresses: [CONTROL_ADDRESS], conditions: { ready: true } }],
    },
    {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: `v1beta1.${group}` },
      spec: {
        group,
        version: 'v1beta1',
        groupPriorityMinimum: 100,
        versionPriority: 100,
        caBundle: Buffer.from(authority).toString('base64'),
        service: { name, namespace: NAMESPACE, port },
      },
    },
  ];
}

/** Folders of this machine serve as disks of one node: the data stays there, as on a node's own disk. */
function volumeManifests(folder: string, nodeName: string): readonly Manifest[] {
  const isOnNode = { key: 'kubernetes.io/hostname', operator: 'In', values: [nodeName] };
  return VOLUMES.map((name) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      capacity: { storage: '10Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      local: { path: join(folder, name) },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [isOnNode] }] } },
    },
  }));
}

export async function applyExtensions(
  api: KubernetesApi,
  authority: string,
  volumes: string,
  nodeName: string,
): Promise<void> {
  for (const name of VOLUMES) await mkdir(join(volumes, name), { recursive: true });
  for (const manifest of [...extensionManifests(authority), ...volumeManifests(volumes, nodeName)]) {
    await api.apply(manifest);
  }
}
