import { runServiceProcess } from '@audiosplit/chassis/process/service-process';
import { readJobsConfig } from './config.ts';
import { JOBS_MIGRATIONS_DIR, JOBS_SCHEMA } from './schema.ts';
import { startJobs } from './service.ts';

await runServiceProcess({
  name: 'jobs',
  database: { schema: JOBS_SCHEMA, migrationsDir: JOBS_MIGRATIONS_DIR },
  env: process.env,
  stopTimeoutMs: () => 20_000,
  start: (context) => startJobs(readJobsConfig(process.env), context),
});
