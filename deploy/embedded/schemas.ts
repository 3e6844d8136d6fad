/** The schemas of a database for the whole product, in the order of migration. */
import { ACCOUNT_MIGRATIONS_DIR, ACCOUNT_SCHEMA } from '@audiosplit/account/schema';
import { AUTH_MIGRATIONS_DIR, AUTH_SCHEMA } from '@audiosplit/auth/schema';
import { BILLING_MIGRATIONS_DIR, BILLING_SCHEMA } from '@audiosplit/billing/schema';
import { BUS_MIGRATIONS_DIR, BUS_SCHEMA } from '@audiosplit/chassis/event-bus/postgres/postgres';
import { JOBS_MIGRATIONS_DIR, JOBS_SCHEMA } from '@audiosplit/jobs/schema';
import { WEBHOOKS_MIGRATIONS_DIR, WEBHOOKS_SCHEMA } from '@audiosplit/webhooks/schema';

export const SCHEMAS = [
  { schema: BUS_SCHEMA, migrationsDir: BUS_MIGRATIONS_DIR },
  { schema: AUTH_SCHEMA, migrationsDir: AUTH_MIGRATIONS_DIR },
  { schema: ACCOUNT_SCHEMA, migrationsDir: ACCOUNT_MIGRATIONS_DIR },
  { schema: BILLING_SCHEMA, migrationsDir: BILLING_MIGRATIONS_DIR },
  { schema: JOBS_SCHEMA, migrationsDir: JOBS_MIGRATIONS_DIR },
  { schema: WEBHOOKS_SCHEMA, migrationsDir: WEBHOOKS_MIGRATIONS_DIR },
] as const;
