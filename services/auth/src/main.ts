import { runServiceProcess } from '@audiosplit/chassis/process/service-process';
import { TOPIC_DECLARATIONS } from '@audiosplit/proto/topics';
import { readAuthConfig, SETTINGS } from './config.ts';
import { METRICS } from './metrics.ts';
import { AUTH_MIGRATIONS_DIR, AUTH_SCHEMA } from './schema.ts';
import { startAuth } from './service.ts';

await runServiceProcess({
  name: 'auth',
  database: { schema: AUTH_SCHEMA, migrationsDir: AUTH_MIGRATIONS_DIR },
  metrics: METRICS,
  topics: TOPIC_DECLARATIONS,
  env: process.env,
  settings: SETTINGS,
  stopTimeoutMs: () => 20_000,
  start: (context) => startAuth(readAuthConfig(process.env), context),
});
