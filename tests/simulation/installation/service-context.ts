import type { ServiceContext } from '@audiosplit/chassis/process/service';
import { createSimulatedPool } from '../database/pool.ts';
import { breakBus, breakDatabase, breakStore } from '../faults/flaws.ts';
import { createSimulatedSchedule } from '../ports/scheduled-work.ts';
import type { SimulatedProcess } from '../world/process.ts';
import type { Installation } from './installation.ts';
import { isTaskDue } from './task-due.ts';

/** The simulated ports of one process, with the flaw of the run in them. */
export function createServiceContext(installation: Installation, process: SimulatedProcess): ServiceContext {
  const { log, clock, internalSecret, network, world, faults, flaw } = installation;
  const store = breakStore(installation.store, flaw);
  return {
    internalSecret,
    log,
    clock,
    openPool: (schema) => breakDatabase(createSimulatedPool(installation, schema), flaw),
    schedule: createSimulatedSchedule({
      world,
      faults,
      clock,
      process,
      isDue: (task) => isTaskDue(installation, task),
    }),
    bus: breakBus(installation.bus.connect(process), world, flaw),
    openStore: async () => store,
    addressOf: network.addressOf,
    fatal(error) {
      throw error;
    },
  };
}
