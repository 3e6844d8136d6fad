/**
 * The service's own JobsService on a database, in a separate process, for benchmarks of the whole request
 * path (gateway/bench). Billing and the splitter are replaced: all limits are equal, no source is inspected,
 * and outbox rows are not published.
 *
 * node jobs-server.ts '{"databaseUrl":"…"}'
 *
 * Sends its parent its URL, and its CPU time so far in reply to every message.
 */

import { systemClock } from '@audiosplit/chassis/clock';
import { withIdempotency } from '@audiosplit/chassis/idempotency/with-idempotency';
import { responseSecretOf } from '@audiosplit/chassis/identity/keys';
import { openServicePool } from '@audiosplit/chassis/postgres/pool';
import { silentLogger } from '@audiosplit/chassis/process/log';
import { startRpcServer } from '@audiosplit/chassis/rpc/server';
import { testKeysOf } from '@audiosplit/chassis/testing/identities';
import { JobsService } from '@audiosplit/proto/jobs/v1/jobs';
import { createJobsRpc } from '../src/rpc.ts';
import { JOBS_SCHEMA } from '../src/schema.ts';
import { standInsOn } from './stand-ins.ts';

const HOST = '127.0.0.1';
const MAX_CONNECTIONS = 10;
const SEGMENT_RETENTION_MS = 365 * 24 * 3_600_000;

const { databaseUrl } = readOptions(process.argv[2]);
const [log, clock] = [silentLogger(), systemClock];
const keys = testKeysOf('jobs');
const pool = openServicePool({ databaseUrl, log }, JOBS_SCHEMA, MAX_CONNECTIONS);
const jobs = createJobsRpc({
  ...standInsOn(pool),
  clock,
  waveforms: { read: () => Promise.reject(new Error('a benchmark has no splitter')) },
  uploadBounds: { perConcurrentJob: 2, unusedPerFileSize: 2 },
  openStore: () => Promise.reject(new Error('a benchmark has no object store')),
  segmentRetentionMs: SEGMENT_RETENTION_MS,
});
const { port } = await startRpcServer({
  routes: (router) =>
    router.service(
      JobsService,
      withIdempotency(JobsService, jobs, { pool, clock, secret: responseSecretOf(keys) }),
    ),
  keys,
  log,
  clock,
  host: HOST,
  port: 0,
});
process.on('disconnect', () => process.exit());
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMs: (user + system) / 1_000 });
});
process.send?.({ url: `http://${HOST}:${port}` });

function readOptions(json = '{}'): { readonly databaseUrl: string } {
  const { databaseUrl } = JSON.parse(json);
  if (typeof databaseUrl === 'string') return { databaseUrl };
  throw new Error('give databaseUrl');
}
