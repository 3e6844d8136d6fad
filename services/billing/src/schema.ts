import { fileURLToPath } from 'node:url';

export const BILLING_SCHEMA = 'billing';
export const BILLING_MIGRATIONS_DIR = fileURLToPath(new URL('../migrations', import.meta.url));
