import type { EventBus } from '../event-bus/event-bus.ts';
import { openServicePool } from '../postgres/pool.ts';
import type { Logger } from './log.ts';
import { startScheduledWork } from './scheduled-work.ts';
import type { ServiceContext } from './service.ts';

/** The ports of a service that stores its data and its tasks in Postgres. */
export function postgresPorts(options: {
  readonly databaseUrl: string;
  readonly log: Logger;
  readonly bus: EventBus;
}): Pick<ServiceContext, 'openPool' | 'schedule'> {
  const { databaseUrl, log, bus } = options;
  const { database } = bus;
  const publishAtCommit = database?.url === databaseUrl ? database : undefined;
  return {
    openPool: (schema, maxConnections) =>
      openServicePool({ databaseUrl, log, publishAtCommit }, schema, maxConnections),
    schedule: startScheduledWork,
  };
}
