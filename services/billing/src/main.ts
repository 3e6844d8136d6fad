import { runServiceProcess } from '@audiosplit/chassis/process/service-process';
import { TOPIC_DECLARATIONS } from '@audiosplit/proto/topics';
import { readBillingConfig, SETTINGS } from './config.ts';
import { METRICS } from './metrics.ts';
import { BILLING_MIGRATIONS_DIR, BILLING_SCHEMA } from './schema.ts';
import { startBilling } from './service.ts';

await runServiceProcess({
  name: 'billing',
  database: { schema: BILLING_SCHEMA, migrationsDir: BILLING_MIGRATIONS_DIR },
  metrics: METRICS,
  topics: TOPIC_DECLARATIONS,
  env: process.env,
  settings: SETTINGS,
  stopTimeoutMs: () => 20_000,
  start: (context) => startBilling(readBillingConfig(process.env), context),
});
