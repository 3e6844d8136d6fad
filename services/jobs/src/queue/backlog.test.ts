import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createPrometheus, type Prometheus } from '@audiosplit/chassis/observability/prometheus';
import { silentLogger } from '@audiosplit/chassis/process/log';
import { type JobsFixture, startJobsFixture } from '../jobs.fixture.ts';
import { METRICS } from '../metrics.ts';

describe('the backlog of jobs', () => {
  let prometheus: Prometheus;
  let fixture: JobsFixture;
  before(async () => {
    prometheus = createPrometheus({ processes: ['jobs'], metrics: METRICS, log: silentLogger() });
    fixture = await startJobsFixture({ concurrentJobs: 2 });
  });
  after(async () => {
    await fixture[Symbol.asyncDispose]();
    prometheus[Symbol.dispose]();
  });

  async function figures() {
    const page = await prometheus.scrape();
    const read = (name: string) => Number(new RegExp(`^${name} (.*)$`, 'm').exec(page)?.[1]);
    return {
      queued: read('audiosplit_jobs_queued'),
      processing: read('audiosplit_jobs_processing'),
      runnable: read('audiosplit_jobs_runnable'),
    };
  }

  test('the backlog counts queued, processing and runnable jobs, by the caps of their accounts', async () => {
    const { leases, create } = fixture;
    assert.deepEqual(await figures(), { queued: 0, processing: 0, runnable: 0 });
    const first = await create('acc_a');
    for (let more = 0; more < 4; more++) await create('acc_a');
    await create('acc_b');
    assert.deepEqual(await figures(), { queued: 6, processing: 0, runnable: 3 });
    await leases.claimJob({ jobId: first, workerId: 'worker' });
    assert.deepEqual(await figures(), { queued: 5, processing: 1, runnable: 2 });
  });

  test("the age is that of the longest waiting job that is not blocked by its account's cap", async () => {
    const age = async () => {
      const page = await prometheus.scrape();
      return Number(/^audiosplit_jobs_oldest_runnable_age_seconds (.*)$/m.exec(page)?.[1]);
    };
    const backdate = (account: string, minutes: number) =>
      fixture.sql.query(
        `update jobs set created_at = created_at - $2 * interval '1 minute' where account_id = $1 and status = 'queued'`,
        [account, minutes],
      );
    assert.ok((await age()) < 60);
    await backdate('acc_a', 60);
    await backdate('acc_b', 10);
    assert.equal(Math.floor((await age()) / 60), 60);
    await fixture.sql.query(
      `update jobs set status = 'completed', completed_at = now() - interval '20 minutes', lease_until = null, worker_id = null
       where account_id = 'acc_a' and status = 'processing'`,
    );
    assert.equal(Math.floor((await age()) / 60), 20);
    await fixture.sql.query("update account_limits set concurrent_jobs = 1 where account_id = 'acc_a'");
    assert.equal(Math.floor((await age()) / 60), 10);
  });

  test('an account above its cap has no runnable jobs, and does not reduce those of others', async () => {
    await fixture.sql.query("update account_limits set concurrent_jobs = 0 where account_id = 'acc_a'");
    assert.deepEqual(await figures(), { queued: 5, processing: 1, runnable: 1 });
  });
});
