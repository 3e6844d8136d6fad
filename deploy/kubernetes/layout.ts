/**
 * Paths and addresses. The network lies within the cluster's own kernel namespaces; this machine has one end
 * of a pair of devices in it, and the routes through that.
 */
import { join, resolve } from 'node:path';
import { repositoryRoot } from '../launcher.mjs';

export const DEFAULT_DATA_DIR = join(repositoryRoot, '.data/cluster');

export const MACHINES_PREFIX_LENGTH = 24;
export const MACHINES_NETWORK = `10.213.0.0/${MACHINES_PREFIX_LENGTH}`;
export const POD_NETWORK = '10.213.64.0/18';
export const SERVICE_NETWORK = '10.213.240.0/20';
/** The first of the service network, as the API server takes it. */
export const API_SERVICE_ADDRESS = '10.213.240.1';

export const CONTROL_ADDRESS = '10.213.0.1';
/** This machine's own end. */
export const HOST_ADDRESS = '10.213.0.254';
export const HOST_DEVICE = 'audiosplit-k8s';
export const API_URL = `https://${CONTROL_ADDRESS}:6443`;
export const METRICS_SERVER_PORT = 4443;
export const EXTERNAL_METRICS_PORT = 6444;

/** The control groups of the pods lie below it, in each hierarchy. */
export const CONTROL_GROUP = 'audiosplit-cluster';

export interface NodeLayout {
  readonly name: string;
  readonly address: string;
  readonly podNetwork: string;
  readonly folder: string;
}

/** `number` counts from 1. */
export function nodeLayout(dataDir: string, number: number): NodeLayout {
  const name = `node-${number}`;
  return {
    name,
    address: `10.213.0.${10 + number}`,
    podNetwork: `10.213.${64 + number}.0/24`,
    folder: join(dataDir, name),
  };
}

/** Two, because draining one requires another place for its pods. */
export function nodesOf(dataDir: string): readonly [NodeLayout, NodeLayout] {
  return [nodeLayout(dataDir, 1), nodeLayout(dataDir, 2)];
}

export interface ClusterLayout {
  readonly dataDir: string;
  readonly certificates: string;
  readonly kubeconfig: string;
  readonly logs: string;
  /** Values for the chart: the names of the engines' images here, and the name server. */
  readonly values: string;
  /** The data of persistent volumes; on `node-1`. */
  readonly volumes: string;
}

export function clusterLayout(dataDir: string): ClusterLayout {
  const root = resolve(dataDir);
  return {
    dataDir: root,
    certificates: join(root, 'certificates'),
    kubeconfig: join(root, 'kubeconfig'),
    logs: join(root, 'logs'),
    values: join(root, 'values.json'),
    volumes: join(root, 'volumes'),
  };
}

/** The kubeconfig of a certificate's holder. */
export function kubeconfigFile(layout: ClusterLayout, name: string): string {
  return join(layout.certificates, `${name}.kubeconfig`);
}
