import { fileURLToPath } from 'node:url';

export const ACCOUNT_SCHEMA = 'account';
export const ACCOUNT_MIGRATIONS_DIR = fileURLToPath(new URL('../migrations', import.meta.url));
