/** Splitters, services and gateways are killed, frozen, or stopped. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessControls } from '../../harness/installation/process-controls.ts';
import type { ChaosInstallation } from '../chaos-installation.ts';
import type { RunShape } from '../run-shape.ts';
import type { Fault, Struck } from './fault.ts';

type Role = 'splitter' | 'service' | 'gateway';

const TARGETS: Readonly<Record<Role, (shape: RunShape) => readonly string[]>> = {
  splitter: ({ splitters }) => splitters,
  service: ({ services }) => services,
  gateway: ({ gateways }) => gateways,
};
const ROLES = ['splitter', 'service', 'gateway'] as const;
/** Until the clients of a frozen process have given up. */
const FREEZE_MARGIN_MS = [1_500, 3_500] as const;
const STORM_ROUNDS = 2;
const STORM_PAUSE_MS = 800;

export const PROCESS_FAULTS: readonly Fault[] = [
  ...ROLES.map(
    (role): Fault => ({
      kind: `${role}-kill`,
      kills: true,
      title: `${role}: SIGKILL`,
      targets: TARGETS[role],
      holdMs: () => [0, 0],
      recoveryFrom: 'injection',
      inject: (chaos, { target }) => strike(chaos, target, ({ kill }) => kill(target)),
    }),
  ),
  ...ROLES.map(
    (role): Fault => ({
      kind: `${role}-terminate`,
      title: `${role}: SIGTERM`,
      targets: TARGETS[role],
      holdMs: () => [0, 0],
      recoveryFrom: 'injection',
      inject: (chaos, { target }) => strike(chaos, target, ({ terminate }) => terminate(target)),
    }),
  ),
  ...ROLES.map(
    (role): Fault => ({
      kind: `${role}-freeze`,
      title: `${role}: SIGSTOP past the lease, SIGCONT`,
      targets: TARGETS[role],
      holdMs: ({ leaseMs }) => [leaseMs + FREEZE_MARGIN_MS[0], leaseMs + FREEZE_MARGIN_MS[1]],
      recoveryFrom: 'lift',
      async inject(chaos, { target }) {
        const struck = await strike(chaos, target, ({ freeze }) => freeze(target));
        return {
          jobs: struck.jobs ?? [],
          processes: [{ name: target }],
          async lift() {
            chaos.installation.processes.thaw(target);
            return undefined;
          },
        };
      },
    }),
  ),
  {
    kind: 'rebalance-storm',
    title: 'rebalance storm: splitters restarted in quick succession',
    targets: () => ['splitters'],
    claims: (_target, { splitters }) => splitters,
    holdMs: () => [0, 0],
    recoveryFrom: 'injection',
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
