import { fileURLToPath } from 'node:url';

export const JOBS_SCHEMA = 'jobs';
export const JOBS_MIGRATIONS_DIR = fileURLToPath(new URL('../migrations', import.meta.url));
