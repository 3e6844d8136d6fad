/**
 * Enforces NetworkPolicies: the policy controller of kube-router, without its other parts, beside kube-proxy on each node.
 * Pods on one node communicate over a bridge. Its packets pass the packet filter because `bridge-nf-call-iptables` is set
 * in a new network namespace. kube-proxy needs that as well, for the responses of a pod on the same node.
 *
 * The controller sees the address of a new pod about half a second after its start. Until then, the pod's calls are
 * refused.
 */
import { join } from 'node:path';
import type { GoProgram } from '../../provision/go-program.ts';
import type { Launch } from '../../provision/launch.ts';
import type { Manifest } from '../access/api.ts';
import { type NodeLayout, SERVICE_NETWORK } from '../layout.ts';

export const FIREWALL_USER = 'audiosplit:firewall';
export const FIREWALL_HEALTH_PORT = 20_244;

/** The newest kube-router that the public Go proxy offers as a module. */
const MODULE = 'github.com/cloudnativelabs/kube-router/v2';
export const FIREWALL: GoProgram = {
  name: 'firewall',
  package: './firewall',
  version: '2.10.0',
  minimumGo: '1.26.0',
  inModule: {
    module: MODULE,
    // kube-router requires a commit that the proxy lacks. It concerns devices and routes, which the controller does not use.
    replacements: ['github.com/vishvananda/netlink=github.com/vishvananda/netlink@v1.3.1'],
    ldflags: '-s -w',
    sources: join(import.meta.dirname, '../go-firewall'),
  },
};

export function firewall(command: string, { name, address }: NodeLayout, kubeconfig: string): Launch {
  return {
    command,
    args: [
      `--kubeconfig=${kubeconfig}`,
      `--hostname-override=${name}`,
      `--service-cluster-ip-range=${SERVICE_NETWORK}`,
      `--health-addr=${address}`,
      `--health-port=${FIREWALL_HEALTH_PORT}`,
      // It rewrites the whole table, and so does kube-proxy. If one removes rules of the other, they return with the next sync.
      '--iptables-sync-period=30s',
    ],
  };
}

/** Rights to read the objects that it needs, and no others. */
export function firewallRights(): readonly Manifest[] {
  const metadata = { name: FIREWALL_USER };
  const apiGroup = 'rbac.authorization.k8s.io';
  const version = { apiVersion: `${apiGroup}/v1` };
  const verbs = ['get', 'list', 'watch'];
  return [
    {
      ...version,
      kind: 'ClusterRole',
      metadata,
      rules: [
        { apiGroups: [''], resources: ['nodes', 'namespaces', 'pods'], verbs },
        { apiGroups: ['networking.k8s.io'], resources: ['networkpolicies'], verbs },
      ],
    },
    {
      ...version,
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: { apiGroup, kind: 'ClusterRole', name: FIREWALL_USER },
      subjects: [{ apiGroup, kind: 'User', name: FIREWALL_USER }],
    },
  ];
}
