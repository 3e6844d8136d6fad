import { openServicePool } from '../postgres/pool.ts';
import type { Logger } from './log.ts';
import { startScheduledWork } from './scheduled-work.ts';
import type { ServiceContext } from './service.ts';

/** The ports of a service that keeps its data and its tasks in Postgres. */
export function postgresPorts(options: {
  readonly databaseUrl: string;
  readonly log: Logger;
}): Pick<ServiceContext, 'openPool' | 'schedule'> {
  return {
    openPool: (schema, maxConnections) => openServicePool(options, schema, maxConnections),
    schedule: startScheduledWork,
  };
}
