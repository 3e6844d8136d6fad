/**
 * The interface between a service and the process that hosts it: a process of its own, or the embedded run.
 */
import type { Clock } from '../clock.ts';
import type { EventBus } from '../event-bus/event-bus.ts';
import type { IdentityKeys } from '../identity/keys.ts';
import type { ObjectStore } from '../object-store/object-store.ts';
import type { Pool } from '../postgres/pool.ts';
import type { RpcAddress } from '../rpc/client.ts';
import type { ServiceHealth } from '../rpc/health.ts';
import type { Routes } from '../rpc/server.ts';
import type { Logger } from './log.ts';
import type { ScheduledWork, ScheduledWorkOptions } from './scheduled-work.ts';

export interface ServiceContext {
  /** Opens a connection pool under the role of the service's own schema. */
  readonly openPool: (schema: string, maxConnections: number) => Pool;
  /** Starts the service's delayed and periodic tasks. */
  readonly schedule: (options: ScheduledWorkOptions) => Promise<ScheduledWork>;
  /** The keys for calls between processes. */
  readonly keys: IdentityKeys;
  readonly bus: EventBus;
  /** Opened on first use, so a service without objects needs no access to the store. */
  readonly openStore: () => Promise<ObjectStore>;
  /** The address of another service. */
  readonly addressOf: (service: string) => RpcAddress;
  readonly log: Logger;
  readonly clock: Clock;
  /** For parts that fail by themselves: the process stops and is restarted. */
  readonly fatal: (error: Error) => void;
}

/**
 * A started service. Disposing drains it: it accepts no new work, and work in progress finishes or is
 * returned.
 */
export interface RunningService extends AsyncDisposable {
  readonly routes: Routes;
  readonly health: ServiceHealth;
  /**
   * Called when the process begins to stop, while calls are still served: from then on nothing is taken from
   * queues.
   */
  readonly beginDrain?: () => void;
}
