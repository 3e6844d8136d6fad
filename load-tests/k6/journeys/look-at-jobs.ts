import { check } from 'k6';
import { scenario, vu } from 'k6/execution';
import { phaseTag } from '../../profiles/noisy-neighbour.ts';
import { get, type Job } from '../api.ts';
import { currentCaller } from '../plan.ts';
import { nextJobId, type Prepared } from '../prepared.ts';

export function listJobs(): void {
  const response = get(currentCaller(), '/api/v1/splits?limit=20', 'GET /splits');
  check(response, { 'jobs are listed': ({ status }) => status === 200 });
}

export function readJob(prepared: Prepared): void {
  const response = get(currentCaller(), `/api/v1/splits/${nextJobId(prepared)}`, 'GET /splits/:id');
  check(response, {
    'a job is read': ({ status }) =>
      status === 200 && (response.json() as unknown as Job).status === 'completed',
  });
}

/** For profiles that compare phases of the run with one another. */
export function readJobInPhase(prepared: Prepared): void {
  vu.metrics.tags.window = phaseTag(Date.now() - scenario.startTime);
  readJob(prepared);
}
