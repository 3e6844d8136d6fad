import { fileURLToPath } from 'node:url';

export const AUTH_SCHEMA = 'auth';
export const AUTH_MIGRATIONS_DIR = fileURLToPath(new URL('../migrations', import.meta.url));
