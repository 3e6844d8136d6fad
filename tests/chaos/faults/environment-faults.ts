/** The environment of the processes: a full disk, a memory limit, a clock that jumps, webhook receivers that fail. */
import type { ReceiverFault } from '../../harness/servers/receiver.ts';
import { LIMITED } from '../run-shape.ts';
import { type Fault, untilHit } from './fault.ts';

const HOUR_SECONDS = 3_600;
const KILL_WITHIN_MS = 20_000;

const RECEIVER_TITLES: Readonly<Record<ReceiverFault, string>> = {
  hang: 'webhook receiver: hangs',
  fail: 'webhook receiver: answers 500',
  redirect: 'webhook receiver: redirects',
};

export const ENVIRONMENT_FAULTS: readonly Fault[] = [
  {
    kind: 'scratch-full',
    title: 'splitter: scratch disk full',
    targets: LIMITED.disk,
    holdMs: () => [3_000, 6_000],
    async inject({ limits }, { target }) {
      const ballast = of(limits.disks, target).fill();
      return { lift: () => ballast[Symbol.dispose]() };
    },
  },
  {
    kind: 'memory-limit',
    title: 'splitter: memory limit hit, killed by the kernel',
    targets: LIMITED.memory,
    kills: true,
    async inject({ installation, jobs: database, limits }, { target }) {
      const formerPid = installation.processes.pid(target);
      const jobs = formerPid === undefined ? [] : await database.running(formerPid);
      await of(limits.memoryGroups, target).killByLimit(KILL_WITHIN_MS);
      return { processes: [{ name: target, formerPid }], jobs };
    },
  },
  {
    kind: 'clock-jump',
    title: 'clock of one process: an hour forward or back',
    targets: LIMITED.clock,
    holdMs: () => [3_000, 6_000],
    async inject({ limits }, { target, random }) {
      const clock = of(limits.clocks, target);
      const offsetSeconds = random.chance(0.5) ? HOUR_SECONDS : -HOUR_SECONDS;
      clock.set(offsetSeconds);
      return { proof: () => `${target}: ${offsetSeconds} s`, lift: () => clock.set(0) };
    },
  },
  ...(['hang', 'fail', 'redirect'] as const).map(receiverFault),
];

function receiverFault(fault: ReceiverFault): Fault {
  return {
    kind: `webhook-${fault}`,
    title: RECEIVER_TITLES[fault],
    targets: () => ['receiver'],
    holdMs: () => [2_000, 5_000],
    async inject({ receiver }) {
      const broken = receiver.breakDown(fault);
      return { proof: () => untilHit(() => broken.hits()), lift: () => broken[Symbol.dispose]() };
    },
  };
}

function of<T>(limits: ReadonlyMap<string, T>, target: string): T {
  const limit = limits.get(target);
  if (limit === undefined) throw new Error(`${target} has no such limit`);
  return limit;
}
