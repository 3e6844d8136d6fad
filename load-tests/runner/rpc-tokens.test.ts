import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createVerifier } from '@audiosplit/chassis/identity/tokens';
import { testKeysOf } from '@audiosplit/chassis/testing/identities';
import { BillingService } from '@audiosplit/proto/billing/v1/billing';
import { JobsService } from '@audiosplit/proto/jobs/v1/jobs';
import { signRpcTokens } from './rpc-tokens.ts';

const HOUR_MS = 3_600_000;

test('services accept the tokens of a plan for as long as a run can take', () => {
  const tokens = signRpcTokens('acc_1');
  for (const hours of [0, 24]) {
    const clock = () => new Date(Date.now() + hours * HOUR_MS);
    const verify = createVerifier(testKeysOf('jobs').publicKeys, clock);
    assert.deepEqual(
      verify(JobsService.method.getJob, tokens['audiosplit.jobs.v1.JobsService/GetJob'] ?? ''),
      { process: 'gateway', account: { accountId: 'acc_1', scopes: ['splits:read', 'splits:write'] } },
    );
    assert.deepEqual(
      verify(BillingService.method.getQuota, tokens['audiosplit.billing.v1.BillingService/GetQuota'] ?? ''),
      { process: 'jobs', account: undefined },
    );
  }
});
