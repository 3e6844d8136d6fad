import { runServiceProcess } from '@audiosplit/chassis/process/service-process';
import { TOPIC_DECLARATIONS } from '@audiosplit/proto/topics';
import { readWebhooksConfig, SETTINGS } from './config.ts';
import { METRICS } from './metrics.ts';
import { WEBHOOKS_MIGRATIONS_DIR, WEBHOOKS_SCHEMA } from './schema.ts';
import { startWebhooks } from './service.ts';

await runServiceProcess({
  name: 'webhooks',
  database: { schema: WEBHOOKS_SCHEMA, migrationsDir: WEBHOOKS_MIGRATIONS_DIR },
  metrics: METRICS,
  topics: TOPIC_DECLARATIONS,
  env: process.env,
  settings: SETTINGS,
  stopTimeoutMs: () => 20_000,
  start: (context) => startWebhooks(readWebhooksConfig(process.env), context),
});
