import { fileURLToPath } from 'node:url';
import type { ServerSettings } from '@audiosplit/chassis/postgres/pool';

export const JOBS_SCHEMA = 'jobs';
export const JOBS_MIGRATIONS_DIR = fileURLToPath(new URL('../migrations', import.meta.url));

/**
 * For the service's connections: each statement finds its rows by index, whatever the values, so one plan serves all of them. In
 * large tables the server would plan a page of a list anew each time, which takes longer than to read it.
 */
export const JOBS_SERVER_SETTINGS: ServerSettings = { plan_cache_mode: 'force_generic_plan' };
