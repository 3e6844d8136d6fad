/** A compromised splitter cannot affect jobs that others have claimed. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { errorInfoOf } from '@audiosplit/chassis/rpc/errors';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { JobLeaseService, JobStatus } from '@audiosplit/proto/jobs/v1/jobs';
import { anOutcome, aSplit, startJobsFixture } from '../jobs.fixture.ts';
import { divisionInto, segmentsOf } from '../parts/parts.fixture.ts';

const SOURCE_URL = 'https://example.com/a-private-source.mp3';
const error = { code: 'X', message: 'x' };

/** They answer every worker. */
const LISTINGS = new Set(['findOverdueOffers', 'findFirstOffers', 'checkLeases']);

type Method = keyof typeof JobLeaseService.method;

describe('a claim of another worker', () => {
  const fixture = forSuite(startJobsFixture);

  const create = (accountId: string) => fixture.create(accountId, aSplit(SOURCE_URL));
  const claimWhole = async (accountId: string, workerId: string) => {
    const jobId = await create(accountId);
    const { fence } = await fixture.leases.claimJob({ jobId, workerId });
    return { jobId, fence };
  };
  const claimDivided = async (accountId: string, workerId: string) => {
    const { jobId, fence } = await claimWhole(accountId, workerId);
    await fixture.leases.divideJob({ jobId, fence, ...divisionInto(2) });
    const claimed = await fixture.leases.claimPart({ jobId, part: 0, workerId });
    await fixture.leases.claimPart({ jobId, part: 1, workerId });
    return { jobId, claimed };
  };

  /**
   * Guesses from its own claims of jobs and parts: each token, its neighbours, and the extrapolation from one
   * to the next.
   */
  async function guess(): Promise<readonly bigint[]> {
    const own: bigint[] = [0n];
    const { jobId, ...first } = await claimWhole('acc_intruder', 'intruder');
    let { fence } = first;
    for (let claims = 0; claims < 3; claims++) {
      own.push(fence);
      await fixture.leases.releaseJob({ jobId, fence });
      ({ fence } = await fixture.leases.claimJob({ jobId, workerId: 'intruder' }));
    }
    const { claimed } = await claimDivided('acc_intruder', 'intruder');
    own.push(claimed.fence, claimed.jobFence);
    const steps = own.slice(1).map((fence, index) => fence - (own[index] ?? 0n));
    const likely = [...own, ...steps.map((step) => fence + step)];
    const isValid = (fence: bigint) => fence >= 0n && fence < 2n ** 53n;
    return [...new Set(likely.flatMap((one) => [one - 1n, one, one + 1n]))].filter(isValid);
  }

  test('cannot be read, renewed, ended, handed back or divided with any guessed token', async () => {
    const whole = await claimWhole('acc_victim', 'other');
    const divided = await claimDivided('acc_victim', 'other');
    const fences = await guess();
    assert.ok(fences.length > 20);
    const { leases } = fixture;
    const jobIds = [whole.jobId, divided.jobId];
    const tokens = [whole.fence, divided.claimed.fence];
    const attempts: Readonly<Record<Method, (lease: Lease) => readonly (() => Promise<unknown>)[]>> = {
      claimJob: ({ jobId }) => [() => leases.claimJob({ jobId, workerId: 'other' })],
      claimPart: ({ jobId, part }) => [
        () => leases.claimPart({ jobId, workerId: 'other' }),
        () => leases.claimPart({ jobId, part: part ?? 0, workerId: 'other' }),
      ],
      findOverdueOffers: () => [() => leases.findOverdueOffers({ limit: 100 })],
      findFirstOffers: () => [() => leases.findFirstOffers({ limit: 100 })],
      checkLeases: (lease) => [() => leases.checkLeases({ leases: [lease] })],
      renewLease: (lease) => [() => leases.renewLease({ ...lease, progressPercent: 99 })],
      reserveMinutes: ({ jobId, fence }) => [() => leases.reserveMinutes({ jobId, fence, neededMs: 1n })],
      completeJob: ({ jobId, fence }) => [
        () => leases.completeJob({ jobId, fence, ...anOutcome(jobId, fence) }),
      ],
      failJob: (lease) => [() => leases.failJob({ ...lease, error })],
      releaseJob: (lease) => [
        () => leases.releaseJob(lease),
        ...(lease.part === undefined ? [] : [() => leases.releaseJob({ ...lease, asWhole: true })]),
      ],
      divideJob: ({ jobId, fence }) => [() => leases.divideJob({ jobId, fence, ...divisionInto(2) })],
      completePart: ({ jobId, fence, part = 0 }) => {
        const segments = segmentsOf(jobId, { part, fence, jobFence: divided.claimed.jobFence });
        return [() => leases.completePart({ jobId, fence, part, segments })];
      },
    };
    const read = async () => {
      const { rows } = await fixture.sql.query(
        `select jobs.*, (select json_agg(job_parts order by index) from job_parts where job_id = jobs.id) as parts
         from jobs where id = any($1) order by id`,
        [jobIds],
      );
      return rows;
    };
    for (const [table, id] of [
      ['jobs', 'id'],
      ['job_parts', 'job_id'],
    ]) {
      await fixture.sql.query(
        `update ${table} set lease_until = now() + interval '1 hour' where ${id} = any($1) and worker_id is not null`,
        [jobIds],
      );
    }
    const before = await read();
    const targets = [
      { jobId: whole.jobId, part: undefined },
      { jobId: divided.jobId, part: undefined },
      { jobId: divided.jobId, part: 0 },
    ];
    // A divided job has no lease: the token of its own claim, which the claims of its parts reveal, is
    // useless.
    for (const { jobId, part } of targets) {
      const item = part === undefined ? { jobId } : { jobId, part };
      for (const fence of fences) {
        for (const { localName } of JobLeaseService.methods) {
          for (const attempt of attempts[localName as Method]({ ...item, fence })) {
            const answer = await attempt().then(
              (response) => ({ response, reason: undefined }),
              (thrown: unknown) => ({ response: undefined, reason: errorInfoOf(thrown).publicMessage }),
            );
            const shown = JSON.stringify(answer, (_, value) =>
              typeof value === 'bigint' ? `${value}` : value,
            );
            const title = `${localName} ${part ?? ''} ${fence}: ${shown}`;
            assert.doesNotMatch(shown, /private|acc_victim|spec|lecture|episode/, title);
            assert.ok(!tokens.some((token) => shown.includes(`${token}`)), title);
            const isListing = LISTINGS.has(localName);
            assert.equal(answer.response === undefined, !isListing, title);
            if (localName === 'checkLeases') assert.match(shown, /"over":\[\{/, title);
          }
        }
      }
    }
    assert.deepEqual(await read(), before);
    await leases.completeJob({ ...whole, ...anOutcome(whole.jobId, whole.fence) });
    const { job } = await fixture.jobs.getJob({ jobId: whole.jobId }, fixture.as('acc_victim'));
    assert.equal(job?.status, JobStatus.COMPLETED);
  });

  test('the result of a job contains only what its own attempt has stored', async () => {
    const victim = await claimWhole('acc_stored', 'other');
    const { jobId, fence } = await claimWhole('acc_thief', 'intruder');
    const outcome = anOutcome(victim.jobId, victim.fence);
    const stolen = await leasesError(() => fixture.leases.completeJob({ jobId, fence, ...outcome }));
    assert.match(stolen, /^segments: must lie below/);
    await fixture.leases.completeJob({ jobId, fence, ...anOutcome(jobId, fence) });
  });
});

interface Lease {
  readonly jobId: string;
  readonly part?: number;
  readonly fence: bigint;
}

async function leasesError(call: () => Promise<unknown>): Promise<string> {
  const thrown: unknown = await call().then(
    () => assert.fail(),
    (error: unknown) => error,
  );
  return errorInfoOf(thrown).publicMessage;
}
