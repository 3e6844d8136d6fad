/** One simulated installation: its world, its ports, and the processes that run on them. */
import type { Clock } from '@audiosplit/chassis/clock';
import { type Logger, silentLogger } from '@audiosplit/chassis/process/log';
import type { Random } from '../harness/random.ts';
import { startBillingProcess } from './billing-process.ts';
import { createFaults, type Faults } from './faults.ts';
import type { Flaw } from './flaws.ts';
import { startJobsProcess } from './jobs-process.ts';
import { createSimulatedBus, type SimulatedBus } from './simulated-bus.ts';
import { createSimulatedNetwork, type SimulatedNetwork } from './simulated-network.ts';
import { createSimulatedObjectStore, type SimulatedObjectStore } from './simulated-object-store.ts';
import { createSimulatedPayments, type SimulatedPayments } from './simulated-payments.ts';
import { createProcess, type SimulatedProcess } from './simulated-process.ts';
import { createSimulatedReceiver, type SimulatedReceiver } from './simulated-receiver.ts';
import type { SimulationDatabase } from './simulation-database.ts';
import { startSplitterProcess } from './splitter-process.ts';
import { createWatchedTables, type RowChange, type Tables } from './watched-tables.ts';
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
  /** What the services' tables say now. */
  readonly tables: Tables;
  /** Says that rows are no longer what they were. */
  noteChanges(changes: readonly RowChange[]): void;
  /** Says that the store is no longer what it was. */
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

/** Clocks that are set by the network, and one that is not. */
const CLOCK_SKEWS_MS = [0, 0, 0, -500, 500, -20_000, 20_000];

export async function startInstallation(options: InstallationOptions): Promise<Installation> {
  const { world } = options;
  const faults = createFaults(world);
  const common: Common = {
    world,
    log: silentLogger(),
    clock: () => new Date(world.clockMs()),
    internalSecret: 'an internal secret of more than 32 bytes',
  };
  let isChanged = true;
  const noteChange = () => {
    isChanged = true;
  };
  const watched = createWatchedTables();
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
    tables: watched.tables,
    noteChanges(changes) {
      if (changes.length === 0) return;
      watched.apply(changes);
      isChanged = true;
    },
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

function createReplica(installation: Installation, name: string, startParts: StartProcess): Replica {
  let running: SimulatedProcess | undefined;
  const { world, random, faults } = installation;
  /** As whatever runs it would, once it has noticed. */
  const revive = async (dead: SimulatedProcess) => {
    await world.delayAnyway(random.between(100, 20_000));
    if (running === dead && faults.areOn()) await start();
  };
  const start = async () => {
    const process = createProcess(name, random.pick(CLOCK_SKEWS_MS));
    running = process;
    process.onDeath(() => void revive(process));
    await process.run(() => startParts(installation, process));
  };
  return {
    name,
    isAlive: () => running?.isAlive() === true,
    kill: () => running?.kill(),
    freezeUntil: (ms) => running?.freezeUntil(ms),
    start,
  };
}
