import { runServiceProcess } from '@audiosplit/chassis/process/service-process';
import { readWebhooksConfig } from './config.ts';
import { WEBHOOKS_MIGRATIONS_DIR, WEBHOOKS_SCHEMA } from './schema.ts';
import { startWebhooks } from './service.ts';

await runServiceProcess({
  name: 'webhooks',
  database: { schema: WEBHOOKS_SCHEMA, migrationsDir: WEBHOOKS_MIGRATIONS_DIR },
  env: process.env,
  stopTimeoutMs: () => 20_000,
  start: (context) => startWebhooks(readWebhooksConfig(process.env), context),
});
