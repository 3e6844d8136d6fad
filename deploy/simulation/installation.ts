/** One simulated installation: its world, its ports, and the processes that run on them. */
import type { Clock } from '@audiosplit/chassis/clock';
import { type Logger, silentLogger } from '@audiosplit/chassis/log';
import { startBillingProcess } from './billing-process.ts';
import { createFaults, type Faults } from './faults.ts';
import type { Flaw } from './flaws.ts';
import { startJobsProcess } from './jobs-process.ts';
import type { Random } from './random.ts';
import { createSimulatedBus, type SimulatedBus } from './simulated-bus.ts';
import { createSimulatedNetwork, type SimulatedNetwork } from './simulated-network.ts';
import { createSimulatedObjectStore, type SimulatedObjectStore } from './simulated-object-store.ts';
import { createSimulatedPayments, type SimulatedPayments } from './simulated-payments.ts';
import { createProcess, runOutsideProcesses, type SimulatedProcess } from './simulated-process.ts';
import { createSimulatedReceiver, type SimulatedReceiver } from './simulated-receiver.ts';
import type { SimulationDatabase } from './simulation-database.ts';
import { startSplitterProcess } from './splitter-process.ts';
import { startWebhooksProcess } from './webhooks-process.ts';
import type { World } from './world.ts';

/** What a process is started with wherever it runs. */
export interface Common {
  readonly world: World;
  readonly log: Logger;
  readonly clock: Clock;
  readonly internalSecret: string;
}

export interface Installation extends Common {
  readonly faults: Faults;
  readonly random: Random;
  readonly database: SimulationDatabase;
  readonly bus: SimulatedBus;
  readonly store: SimulatedObjectStore;
  readonly network: SimulatedNetwork;
  readonly payments: SimulatedPayments;
  readonly receiver: SimulatedReceiver;
  /** What is deliberately broken. */
  readonly flaw: Flaw | undefined;
  /** Where splitters keep what they work on. */
  readonly scratchDir: string;
  /** Says that the database or the store is no longer what it was. */
  noteChange(): void;
  /** True once after each change. */
  takeChange(): boolean;
  readonly processes: readonly Replica[];
}

export interface Replica {
  readonly name: string;
  isAlive(): boolean;
  kill(): void;
  freezeUntil(ms: number): void;
  start(): Promise<void>;
}

export interface InstallationOptions {
  readonly world: World;
  readonly database: SimulationDatabase;
  readonly scratchDir: string;
  readonly flaw: Flaw | undefined;
}

type StartProcess = (installation: Installation, process: SimulatedProcess) => Promise<void>;

const PROCESSES: readonly (readonly [string, StartProcess])[] = [
  ['billing', startBillingProcess],
  ['jobs-1', startJobsProcess],
  ['jobs-2', startJobsProcess],
  ['webhooks', startWebhooksProcess],
  ['splitter-1', startSplitterProcess],
  ['splitter-2', startSplitterProcess],
  ['splitter-3', startSplitterProcess],
];

export async function startInstallation(options: InstallationOptions): Promise<Installation> {
  const { world } = options;
  const faults = createFaults(world);
  const common: Common = {
    world,
    log: silentLogger(),
    clock: () => new Date(world.nowMs()),
    internalSecret: 'an internal secret of more than 32 bytes',
  };
  let isChanged = true;
  const noteChange = () => {
    isChanged = true;
  };
  const processes: Replica[] = [];
  const installation: Installation = {
    ...common,
    ...options,
    faults,
    random: world.random,
    bus: createSimulatedBus(world, faults),
    store: createSimulatedObjectStore({ world, faults, noteChange }),
    network: createSimulatedNetwork(common, faults),
    payments: createSimulatedPayments(world, faults),
    receiver: createSimulatedReceiver(world, faults),
    noteChange,
    takeChange() {
      const was = isChanged;
      isChanged = false;
      return was;
    },
    processes,
  };
  for (const [name, start] of PROCESSES) {
    const replica = createReplica(installation, name, start);
    processes.push(replica);
    await replica.start();
  }
  return installation;
}

function createReplica(installation: Installation, name: string, start: StartProcess): Replica {
  let running: SimulatedProcess | undefined;
  return {
    name,
    isAlive: () => running?.isAlive() === true,
    kill: () => running?.kill(),
    freezeUntil: (ms) => running?.freezeUntil(ms),
    async start() {
      const process = createProcess(name);
      running = process;
      await runOutsideProcesses(() => process.run(() => start(installation, process)));
    },
  };
}
