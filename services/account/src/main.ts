import { runServiceProcess } from '@audiosplit/chassis/process/service-process';
import { readAccountConfig } from './config.ts';
import { ACCOUNT_MIGRATIONS_DIR, ACCOUNT_SCHEMA } from './schema.ts';
import { startAccount } from './service.ts';

await runServiceProcess({
  name: 'account',
  database: { schema: ACCOUNT_SCHEMA, migrationsDir: ACCOUNT_MIGRATIONS_DIR },
  env: process.env,
  stopTimeoutMs: () => 20_000,
  start: (context) => startAccount(readAccountConfig(process.env), context),
});
