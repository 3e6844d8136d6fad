/** Splitters, services and gateways are killed, frozen, or stopped. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessControls } from '../../harness/installation/process-controls.ts';
import type { ChaosInstallation } from '../chaos-installation.ts';
import type { RunShape } from '../run-shape.ts';
import type { Fault, Struck } from './fault.ts';

const TARGETS = {
  splitter: ({ splitters }: RunShape) => splitters,
  service: ({ services }: RunShape) => services,
  gateway: ({ gateways }: RunShape) => gateways,
};
const ROLES = ['splitter', 'service', 'gateway'] as const;
/** Until the clients of a frozen process have timed out. */
const FREEZE_MARGIN_MS = [1_500, 3_500] as const;
const STORM_ROUNDS = 2;
const STORM_PAUSE_MS = 800;

export const PROCESS_FAULTS: readonly Fault[] = [
  ...ROLES.map((role): Fault => ({ ...signalled(role, 'kill', 'SIGKILL'), kills: true })),
  ...ROLES.map((role) => signalled(role, 'terminate', 'SIGTERM')),
  ...ROLES.map(
    (role): Fault => ({
      kind: `${role}-freeze`,
      title: `${role}: SIGSTOP past the lease, SIGCONT`,
      targets: TARGETS[role],
      holdMs: ({ leaseMs }) => [leaseMs + FREEZE_MARGIN_MS[0], leaseMs + FREEZE_MARGIN_MS[1]],
      async inject(chaos, { target }) {
        const { jobs = [] } = await strike(chaos, target, ({ freeze }) => freeze(target));
        const lift = () => chaos.installation.processes.thaw(target);
        return { jobs, processes: [{ name: target }], lift };
      },
    }),
  ),
  {
    kind: 'rebalance-storm',
    title: 'rebalance storm: splitters restarted in quick succession',
    targets: () => ['splitters'],
    claims: (_target, { splitters }) => splitters,
    async inject(chaos) {
      const struck: Struck[] = [];
      for (let round = 0; round < STORM_ROUNDS; round += 1) {
        for (const name of chaos.shape.splitters) {
          struck.push(await strike(chaos, name, ({ terminate }) => terminate(name)));
          await sleep(STORM_PAUSE_MS);
        }
      }
      return {
        processes: chaos.shape.splitters.map((name) => ({ name })),
        jobs: struck.flatMap(({ jobs = [] }) => jobs),
      };
    },
  },
];

function signalled(role: keyof typeof TARGETS, how: 'kill' | 'terminate', signal: string): Fault {
  return {
    kind: `${role}-${how}`,
    title: `${role}: ${signal}`,
    targets: TARGETS[role],
    inject: (chaos, { target }) => strike(chaos, target, (processes) => processes[how](target)),
  };
}

async function strike(
  { installation: { processes }, shape, jobs: database }: ChaosInstallation,
  name: string,
  act: (processes: ProcessControls) => void | Promise<void>,
): Promise<Struck> {
  const formerPid = processes.pid(name);
  const isSplitter = shape.splitters.includes(name);
  const jobs = isSplitter && formerPid !== undefined ? await database.running(formerPid) : [];
  await act(processes);
  return { processes: [{ name, formerPid }], jobs };
}
