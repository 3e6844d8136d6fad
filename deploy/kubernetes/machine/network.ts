/**
 * A bridge in the control plane's machine; a pair of devices connects every other machine, and this one, to
 * it.
 */
import { runTool } from '../../provision/run-tool.ts';
import type { Task } from '../../provision/task.ts';
import {
  CONTROL_ADDRESS,
  HOST_ADDRESS,
  HOST_DEVICE,
  MACHINES_PREFIX_LENGTH,
  type NodeLayout,
  SERVICE_NETWORK,
} from '../layout.ts';
import { type Machine, runIn } from './machine.ts';

const BRIDGE = 'machines';
const UPLINK = 'eth0';

/** Directly to the node, not through another machine. */
function routesTo(nodes: readonly NodeLayout[]) {
  return nodes.map(({ podNetwork, address }) => ({ network: podNetwork, via: address }));
}

interface Network {
  readonly control: Machine;
  /** All that will join. Services are reached through the first one. */
  readonly nodes: readonly [NodeLayout, ...NodeLayout[]];
  readonly task: Task;
}

export async function openNetwork({ control, nodes, task }: Network): Promise<void> {
  const inControl = (...args: string[]) => runIn(control, 'ip', args, task);
  const here = (...args: string[]) => runTool('ip', args, { signal: task.signal });
  await inControl('link', 'add', BRIDGE, 'type', 'bridge');
  await inControl('address', 'add', withPrefix(CONTROL_ADDRESS), 'dev', BRIDGE);
  await inControl('link', 'set', BRIDGE, 'up');
  await here('link', 'add', HOST_DEVICE, 'type', 'veth', 'peer', 'name', 'host', 'netns', pidOf(control));
  await inControl('link', 'set', 'host', 'master', BRIDGE, 'up');
  await here('address', 'add', withPrefix(HOST_ADDRESS), 'dev', HOST_DEVICE);
  await here('link', 'set', HOST_DEVICE, 'up');
  const routes = [...routesTo(nodes), { network: SERVICE_NETWORK, via: nodes[0].address }];
  for (const { network, via } of routes) {
    await inControl('route', 'add', network, 'via', via);
    await here('route', 'add', network, 'via', via);
  }
}

export async function joinNetwork(
  { control, nodes, task }: Network,
  node: Machine,
  layout: NodeLayout,
): Promise<void> {
  const inControl = (...args: string[]) => runIn(control, 'ip', args, task);
  const inNode = (...args: string[]) => runIn(node, 'ip', args, task);
  const uplink = ['type', 'veth', 'peer', 'name', UPLINK, 'netns', pidOf(node)];
  await runTool('ip', ['link', 'add', node.name, 'netns', pidOf(control), ...uplink], {
    signal: task.signal,
  });
  await inControl('link', 'set', node.name, 'master', BRIDGE, 'up');
  await inNode('address', 'add', withPrefix(layout.address), 'dev', UPLINK);
  await inNode('link', 'set', UPLINK, 'up');
  // No interface owns a Service IP. The node needs a route for it, so that the packet reaches the rules in which kube-proxy
  // rewrites its destination.
  await inNode('route', 'add', 'default', 'via', CONTROL_ADDRESS);
  for (const { network, via } of routesTo(nodes.filter(({ name }) => name !== layout.name))) {
    await inNode('route', 'add', network, 'via', via);
  }
}

function pidOf({ initPid }: Machine): string {
  return String(initPid);
}

function withPrefix(address: string): string {
  return `${address}/${MACHINES_PREFIX_LENGTH}`;
}
