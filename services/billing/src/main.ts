import { runServiceProcess } from '@audiosplit/chassis/process/service-process';
import { readBillingConfig } from './config.ts';
import { BILLING_MIGRATIONS_DIR, BILLING_SCHEMA } from './schema.ts';
import { startBilling } from './service.ts';

await runServiceProcess({
  name: 'billing',
  database: { schema: BILLING_SCHEMA, migrationsDir: BILLING_MIGRATIONS_DIR },
  env: process.env,
  stopTimeoutMs: () => 20_000,
  start: (context) => startBilling(readBillingConfig(process.env), context),
});
