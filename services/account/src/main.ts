import { runServiceProcess } from '@audiosplit/chassis/process/service-process';
import { TOPIC_DECLARATIONS } from '@audiosplit/proto/topics';
import { readAccountConfig, SETTINGS } from './config.ts';
import { METRICS } from './metrics.ts';
import { ACCOUNT_MIGRATIONS_DIR, ACCOUNT_SCHEMA } from './schema.ts';
import { startAccount } from './service.ts';

await runServiceProcess({
  name: 'account',
  database: { schema: ACCOUNT_SCHEMA, migrationsDir: ACCOUNT_MIGRATIONS_DIR },
  metrics: METRICS,
  topics: TOPIC_DECLARATIONS,
  env: process.env,
  settings: SETTINGS,
  stopTimeoutMs: () => 20_000,
  start: (context) => startAccount(readAccountConfig(process.env), context),
});
