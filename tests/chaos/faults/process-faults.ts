/** Splitters, services and gateways that are killed, stand still, or are asked to stop. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Site } from '../site.ts';
import type { SiteShape } from '../site-shape.ts';
import type { Fault, Struck } from './fault.ts';

type Role = 'splitter' | 'service' | 'gateway';

const TARGETS: Readonly<Record<Role, (shape: SiteShape) => readonly string[]>> = {
  splitter: ({ splitters }) => splitters,
  service: ({ services }) => services,
  gateway: ({ gateways }) => gateways,
};
const ROLES = ['splitter', 'service', 'gateway'] as const;
/** Until whoever waits for a process that stands still has given up. */
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
      inject: (site, { target }) => strike(site, target, 'SIGKILL'),
    }),
  ),
  ...ROLES.map(
    (role): Fault => ({
      kind: `${role}-terminate`,
      title: `${role}: SIGTERM`,
      targets: TARGETS[role],
      holdMs: () => [0, 0],
      recoveryFrom: 'injection',
      inject: (site, { target }) => strike(site, target, 'SIGTERM'),
    }),
  ),
  ...ROLES.map(
    (role): Fault => ({
      kind: `${role}-freeze`,
      title: `${role}: SIGSTOP past the lease, SIGCONT`,
      targets: TARGETS[role],
      holdMs: ({ leaseMs }) => [leaseMs + FREEZE_MARGIN_MS[0], leaseMs + FREEZE_MARGIN_MS[1]],
      recoveryFrom: 'lift',
      async inject(site, { target }) {
        const struck = await strike(site, target, 'SIGSTOP');
        return {
          jobs: struck.jobs ?? [],
          processes: [{ name: target }],
          async lift() {
            site.process(target).signal('SIGCONT');
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
    async inject(site) {
      const struck: Struck[] = [];
      for (let round = 0; round < STORM_ROUNDS; round += 1) {
        for (const name of site.shape.splitters) {
          struck.push(await strike(site, name, 'SIGTERM'));
          await sleep(STORM_PAUSE_MS);
        }
      }
      return {
        processes: site.shape.splitters.map((name) => ({ name })),
        jobs: struck.flatMap(({ jobs = [] }) => jobs),
      };
    },
  },
];

async function strike(site: Site, name: string, signal: NodeJS.Signals): Promise<Struck> {
  const managed = site.process(name);
  const formerPid = managed.identity()?.pid;
  const isWorker = site.shape.splitters.includes(name);
  const jobs = isWorker && formerPid !== undefined ? await site.jobs.running(formerPid) : [];
  managed.signal(signal);
  return { processes: [{ name, formerPid }], jobs };
}
