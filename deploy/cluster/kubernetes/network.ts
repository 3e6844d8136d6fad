/** A bridge in the control plane's machine; every other machine, and this one, has a pair of devices to it. */
import type { Task } from '../../engines/engine.ts';
import { runTool } from '../../engines/run-tool.ts';
import {
  CLUSTER_NETWORK,
  CONTROL_ADDRESS,
  HOST_ADDRESS,
  HOST_DEVICE,
  MACHINES_PREFIX_LENGTH,
  type NodeLayout,
} from './layout.ts';
import { type Machine, runIn } from './machine.ts';

const BRIDGE = 'machines';
const UPLINK = 'eth0';

export async function openNetwork(control: Machine, task: Task): Promise<void> {
  const inControl = (...args: string[]) => runIn(control, 'ip', args, task);
  const here = (...args: string[]) => runTool('ip', args, { signal: task.signal });
  await inControl('link', 'add', BRIDGE, 'type', 'bridge');
  await inControl('address', 'add', withPrefix(CONTROL_ADDRESS), 'dev', BRIDGE);
  await inControl('link', 'set', BRIDGE, 'up');
  await here('link', 'add', HOST_DEVICE, 'type', 'veth', 'peer', 'name', 'host', 'netns', pidOf(control));
  await inControl('link', 'set', 'host', 'master', BRIDGE, 'up');
  await here('address', 'add', withPrefix(HOST_ADDRESS), 'dev', HOST_DEVICE);
  await here('link', 'set', HOST_DEVICE, 'up');
  await here('route', 'add', CLUSTER_NETWORK, 'via', CONTROL_ADDRESS);
}

export async function joinNetwork(
  control: Machine,
  node: Machine,
  layout: NodeLayout,
  serviceNetworkHere: string | undefined,
  task: Task,
): Promise<void> {
  const inControl = (...args: string[]) => runIn(control, 'ip', args, task);
  const inNode = (...args: string[]) => runIn(node, 'ip', args, task);
  const peer = { type: ['type', 'veth', 'peer', 'name', UPLINK] };
  await runTool(
    'ip',
    ['link', 'add', node.name, 'netns', pidOf(control), ...peer.type, 'netns', pidOf(node)],
    {
      signal: task.signal,
    },
  );
  await inControl('link', 'set', node.name, 'master', BRIDGE, 'up');
  await inNode('address', 'add', withPrefix(layout.address), 'dev', UPLINK);
  await inNode('link', 'set', UPLINK, 'up');
  await inNode('route', 'add', 'default', 'via', CONTROL_ADDRESS);
  await inControl('route', 'add', layout.podNetwork, 'via', layout.address);
  if (serviceNetworkHere !== undefined) {
    await inControl('route', 'add', serviceNetworkHere, 'via', layout.address);
  }
}

function pidOf({ initPid }: Machine): string {
  return String(initPid);
}

function withPrefix(address: string): string {
  return `${address}/${MACHINES_PREFIX_LENGTH}`;
}
