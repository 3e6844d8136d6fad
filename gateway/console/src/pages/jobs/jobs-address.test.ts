import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALL_JOBS, type JobsAddress, jobsPath, parseJobsAddress } from './jobs-address.ts';

test('an address is read back as it was written', () => {
  const addresses: JobsAddress[] = [
    ALL_JOBS,
    { ...ALL_JOBS, filter: 'failed', page: 3 },
    { ...ALL_JOBS, text: '100% über & more', after: '2026-03-01 00:00:00.5+00|job_1' },
  ];
  for (const address of addresses) {
    assert.deepEqual(parseJobsAddress(new URL(jobsPath(address), 'https://example.com').search), address);
  }
  assert.equal(jobsPath(ALL_JOBS), '/jobs');
});

test('parameters that the page does not write are ignored', () => {
  assert.deepEqual(parseJobsAddress('?status=lost&page=-1&more=1'), ALL_JOBS);
  assert.deepEqual(parseJobsAddress('?page=2.5'), ALL_JOBS);
});
