import { silentLogger } from '@audiosplit/chassis/process/log';
import type { ServiceContext } from '@audiosplit/chassis/process/service';
import { serveInProcess } from '@audiosplit/chassis/rpc/server';
import { testKeysOf } from '@audiosplit/chassis/testing/identities';
import { createSimulatedPool } from '../database/pool.ts';
import { createWatchedTables } from '../database/watched-tables.ts';
import { createFaults } from '../faults/faults.ts';
import { breakBus, breakDatabase, breakRoutes, breakStore } from '../faults/flaws.ts';
import { createSimulatedBus } from '../ports/bus.ts';
import { createSimulatedNetwork } from '../ports/network.ts';
import { createSimulatedObjectStore } from '../ports/object-store.ts';
import { createSimulatedPayments } from '../ports/payments.ts';
import { createSimulatedSchedule } from '../ports/scheduled-work.ts';
import { createProcess, type SimulatedProcess } from '../world/process.ts';
import type { Installation, Replica } from './installation.ts';
import { PROCESSES, type ProcessPlan } from './processes.ts';
import { isTaskDue } from './task-due.ts';

/** Clocks that are synchronized over the network, and two that are not. */
const CLOCK_SKEWS_MS = [0, 0, 0, -500, 500, -20_000, 20_000];

export async function startInstallation(
  options: Pick<Installation, 'world' | 'database' | 'scratchDir' | 'flaw'>,
): Promise<Installation> {
  const { world } = options;
  const faults = createFaults(world);
  const shared = {
    log: silentLogger(),
    clock: () => new Date(world.clockMs()),
  };
  let isChanged = true;
  const noteChange = () => {
    isChanged = true;
  };
  const watched = createWatchedTables();
  const processes: Replica[] = [];
  const installation: Installation = {
    ...shared,
    ...options,
    faults,
    random: world.random,
    bus: createSimulatedBus(world, faults),
    store: createSimulatedObjectStore({ world, faults, noteChange }),
    network: createSimulatedNetwork(world, faults, (routes) =>
      serveInProcess({ ...shared, keys: testKeysOf('jobs'), routes }),
    ),
    payments: createSimulatedPayments(world, faults),
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
  for (const plan of PROCESSES) {
    const replica = createReplica(installation, plan);
    processes.push(replica);
    await replica.start();
  }
  return installation;
}

function createReplica(
  installation: Installation,
  { name, service, start: startService }: ProcessPlan,
): Replica {
  let running: SimulatedProcess | undefined;
  const { world, random, faults, network, flaw } = installation;
  /** Runs once its supervisor has noticed the death. */
  const restart = async (dead: SimulatedProcess) => {
    await world.delayAnyway(random.between(100, 20_000));
    if (running === dead && faults.areOn()) await start();
  };
  const start = async () => {
    const process = createProcess(name, random.pick(CLOCK_SKEWS_MS));
    running = process;
    process.onDeath(() => void restart(process));
    await process.run(async () => {
      const context = createServiceContext(installation, process, service);
      const { routes } = await startService(context, installation, process);
      network.serve(service, process, breakRoutes(routes, context, flaw));
    });
  };
  return {
    name,
    isAlive: () => running?.isAlive() === true,
    kill: () => running?.kill(),
    freezeUntil: (ms) => running?.freezeUntil(ms),
    start,
  };
}

/** The simulated ports of one process, with the run's flaw applied. */
function createServiceContext(
  installation: Installation,
  process: SimulatedProcess,
  service: ProcessPlan['service'],
): ServiceContext {
  const { log, clock, network, world, flaw } = installation;
  const store = breakStore(installation.store, flaw);
  return {
    keys: testKeysOf(service),
    log,
    clock,
    openPool: (schema) => breakDatabase(createSimulatedPool(installation, schema), flaw),
    schedule: createSimulatedSchedule(installation, process, (task) => isTaskDue(installation, task)),
    bus: breakBus(installation.bus.connect(process), world, flaw),
    openStore: async () => store,
    addressOf: network.addressOf,
    fatal(error) {
      throw error;
    },
  };
}
