/** Where everything of a cluster with simulated nodes is: processes of whoever starts it, on ports of the loopback interface. */
import { freePort } from '../../provision/free-port.ts';
import type { ControlPlaneNetwork } from '../control-plane.ts';
import type { LoopbackPorts } from '../state.ts';

export const LOOPBACK = '127.0.0.1';
const ZONES = ['zone-a', 'zone-b', 'zone-c'];
/** A drained node leaves its zone another, so that what has to stay in the zone can. */
const NODES_PER_ZONE = 2;

export interface SimulatedNode {
  readonly name: string;
  readonly zone: string;
  readonly address: string;
  readonly podNetwork: string;
}

/** Neighbours are in different zones. */
export function simulatedNodes(): readonly SimulatedNode[] {
  return Array.from({ length: ZONES.length * NODES_PER_ZONE }, (_, index) => ({
    name: `node-${index + 1}`,
    zone: ZONES[index % ZONES.length] ?? '',
    address: `10.213.0.${11 + index}`,
    podNetwork: `10.213.${65 + index}.0/24`,
  }));
}

export async function freePorts(): Promise<LoopbackPorts> {
  return {
    etcdClients: await freePort(),
    etcdPeers: await freePort(),
    apiServer: await freePort(),
    controllerManager: await freePort(),
    scheduler: await freePort(),
    metrics: await freePort(),
  };
}

export function apiUrl({ apiServer }: Pick<LoopbackPorts, 'apiServer'>): string {
  return `https://${LOOPBACK}:${apiServer}`;
}

export function loopbackNetwork(ports: LoopbackPorts): ControlPlaneNetwork {
  const at = (port: number) => [`--bind-address=${LOOPBACK}`, `--secure-port=${port}`];
  return {
    etcdClients: `http://${LOOPBACK}:${ports.etcdClients}`,
    etcdPeers: `http://${LOOPBACK}:${ports.etcdPeers}`,
    flags: {
      'api-server': [
        ...at(ports.apiServer),
        `--advertise-address=${LOOPBACK}`,
        // The Service `kubernetes` may not name a loopback address, and there is no pod to use it.
        '--endpoint-reconciler-type=none',
      ],
      'controller-manager': at(ports.controllerManager),
      scheduler: at(ports.scheduler),
    },
  };
}
