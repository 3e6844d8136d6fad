import type { Clock } from '@audiosplit/chassis/clock';
import type { Logger } from '@audiosplit/chassis/process/log';
import type { Random } from '../../harness/random.ts';
import type { SimulationDatabase } from '../database/database.ts';
import type { RowChange, Tables } from '../database/watched-tables.ts';
import type { Faults } from '../faults/faults.ts';
import type { Flaw } from '../faults/flaws.ts';
import type { SimulatedBus } from '../ports/bus.ts';
import type { SimulatedNetwork } from '../ports/network.ts';
import type { SimulatedObjectStore } from '../ports/object-store.ts';
import type { SimulatedPayments } from '../ports/payments.ts';
import type { World } from '../world/world.ts';

/** One simulated installation: its world, its ports, and the processes that run on them. */
export interface Installation {
  readonly world: World;
  readonly log: Logger;
  readonly clock: Clock;
  readonly faults: Faults;
  readonly random: Random;
  readonly database: SimulationDatabase;
  readonly bus: SimulatedBus;
  readonly store: SimulatedObjectStore;
  readonly network: SimulatedNetwork;
  readonly payments: SimulatedPayments;
  /** The deliberate flaw. */
  readonly flaw: Flaw | undefined;
  /** The splitters' scratch folders are created below it. */
  readonly scratchDir: string;
  /** The current rows of the services' tables. */
  readonly tables: Tables;
  noteChanges(changes: readonly RowChange[]): void;
  /** Called when the object store has changed. */
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
