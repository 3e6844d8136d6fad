import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JobsService } from '@audiosplit/proto/jobs/v1/jobs';
import { actingFor, requireAccount } from '../identity/authorization.ts';
import { silentLogger } from '../process/log.ts';
import { testKeysOf } from '../testing/identities.ts';
import { createCaller } from './client.ts';
import { serveInProcess } from './server.ts';

const HOUR_MS = 3_600_000;

test('call options act for their account, even if they are kept for long', async () => {
  let nowMs = Date.UTC(2026, 0, 1);
  const clock = () => new Date(nowMs);
  const address = serveInProcess({
    routes: (router) =>
      router.service(JobsService, {
        getJob: (_, context) => ({ job: { id: requireAccount(context).accountId } }),
      }),
    keys: testKeysOf('splitter'),
    log: silentLogger(),
    clock,
  });
  const caller = createCaller({ keys: testKeysOf('gateway'), clock });
  const asCaller = actingFor({ accountId: 'acc_1', scopes: [] });
  const jobs = caller.client(JobsService, address);
  for (let hour = 0; hour < 3; hour += 1) {
    assert.equal((await jobs.getJob({ jobId: 'job_1' }, asCaller)).job?.id, 'acc_1');
    nowMs += HOUR_MS;
  }
});
