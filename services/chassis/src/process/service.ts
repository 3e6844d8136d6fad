/**
 * What every service is to the process around it, be that a process of its own or the embedded run.
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
  /** Opens a pool of connections under the role of the service's own schema. */
  readonly openPool: (schema: string, maxConnections: number) => Pool;
  /** Starts the service's delayed and periodic tasks. */
  readonly schedule: (options: ScheduledWorkOptions) => Promise<ScheduledWork>;
  /** For calls between processes. */
  readonly keys: IdentityKeys;
  readonly bus: EventBus;
  /** Opened on first use, so that a service without objects needs no access to them. */
  readonly openStore: () => Promise<ObjectStore>;
  /** Where another service answers. */
  readonly addressOf: (service: string) => RpcAddress;
  readonly log: Logger;
  readonly clock: Clock;
  /** For parts that die on their own: the process stops and is restarted. */
  readonly fatal: (error: Error) => void;
}

/** A started service. Disposing drains it: nothing new is taken, what is in hand ends or is handed back. */
export interface RunningService extends AsyncDisposable {
  readonly routes: Routes;
  readonly health: ServiceHealth;
  /** Called as soon as the process is to stop, while calls are still answered: nothing more is taken from queues. */
  readonly beginDrain?: () => void;
}
