import { fileURLToPath } from 'node:url';

export const WEBHOOKS_SCHEMA = 'webhooks';
export const WEBHOOKS_MIGRATIONS_DIR = fileURLToPath(new URL('../migrations', import.meta.url));
