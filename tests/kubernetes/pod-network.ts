/**
 * Connects from inside a running pod. The images have no shell and need none: the script enters the pod's
 * network from the node's machine, so that its connections pass the same devices and rules as the pod's own.
 */
import { join } from 'node:path';
import { CONTAINERD } from '../../deploy/kubernetes/images.ts';
import { machineOf, runIn } from '../../deploy/kubernetes/machine/machine.ts';
import { readState } from '../../deploy/kubernetes/state.ts';
import { pinnedNode } from '../../deploy/launcher.mjs';
import type { Task } from '../../deploy/provision/task.ts';
import type { Pod } from './workload.ts';

const SCRIPT = join(import.meta.dirname, 'connect.mjs');

/** Resolves with one outcome for each `host:port`: `open` or the reason. */
export type ConnectFrom = (pod: Pod, addresses: readonly string[]) => Promise<readonly string[]>;

export function podNetwork(dataDir: string, ctr: string, task: Task): ConnectFrom {
  return async (pod, addresses) => {
    const machine = machineOf(pod.spec.nodeName ?? '', readState(dataDir));
    const pid = pidIn(await runIn(machine, ctr, [...CONTAINERD, 'tasks', 'list'], task), pod);
    const connect = [pinnedNode, SCRIPT, JSON.stringify(addresses)];
    return JSON.parse(await runIn(machine, 'nsenter', ['--target', pid, '--net', '--', ...connect], task));
  };
}

/** `tasks`: a line for each container, with its id, process and state. */
function pidIn(tasks: string, { metadata, status }: Pod): string {
  const id = status.containerStatuses?.[0]?.containerID?.replace('containerd://', '');
  const line = tasks.split('\n').find((each) => id !== undefined && each.startsWith(id));
  const [, pid] = line?.split(/\s+/) ?? [];
  if (pid === undefined) throw new Error(`${metadata.name} has no container that runs`);
  return pid;
}
