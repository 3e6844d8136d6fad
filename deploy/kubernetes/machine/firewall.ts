/**
 * What holds pods to their NetworkPolicies: of kube-router the policy controller alone, beside kube-proxy on each node.
 * Pods of one node talk over a bridge. Its packets pass the packet filter because `bridge-nf-call-iptables` is set in a new
 * network namespace; kube-proxy needs that as well, for the answers of a pod on the same node.
 *
 * A new pod is let through once its address has been seen, about half a second later: until then its calls are refused.
 */
import { join } from 'node:path';
import type { GoProgram } from '../../provision/go-program.ts';
import type { Launch } from '../../provision/launch.ts';
import type { Manifest } from '../access/api.ts';
import { type NodeLayout, SERVICE_NETWORK } from '../layout.ts';

export const FIREWALL_USER = 'audiosplit:firewall';
export const FIREWALL_HEALTH_PORT = 20_244;

/** The newest kube-router whose module can be had from the public proxy. */
const MODULE = 'github.com/cloudnativelabs/kube-router/v2';
export const FIREWALL: GoProgram = {
  name: 'firewall',
  package: './firewall',
  version: '2.10.0',
  minimumGo: '1.26.0',
  inModule: {
    module: MODULE,
    // It names a commit of this that the proxy does not have. Devices and routes are what that is for, and not in this.
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
      // It writes the whole table that kube-proxy writes to as well: what one of the two has lost to the other is back soon.
      '--iptables-sync-period=30s',
    ],
  };
}

/** What it reads, and nothing else. */
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
