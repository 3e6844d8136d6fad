import { runServiceProcess } from '@audiosplit/chassis/process/service-process';
import { TOPIC_DECLARATIONS } from '@audiosplit/proto/topics';
import { readJobsConfig, SETTINGS } from './config.ts';
import { METRICS } from './metrics.ts';
import { JOBS_MIGRATIONS_DIR, JOBS_SCHEMA } from './schema.ts';
import { startJobs } from './service.ts';

await runServiceProcess({
  name: 'jobs',
  database: { schema: JOBS_SCHEMA, migrationsDir: JOBS_MIGRATIONS_DIR },
  metrics: METRICS,
  topics: TOPIC_DECLARATIONS,
  env: process.env,
  settings: SETTINGS,
  stopTimeoutMs: () => 20_000,
  start: (context) => startJobs(readJobsConfig(process.env), context),
});
