/** Calls of the public API, each named so that requests to different jobs form one series. */
import { check, sleep } from 'k6';
import http, { type RefinedResponse } from 'k6/http';
import { Trend } from 'k6/metrics';
import { JOB_GIVE_UP_SECONDS } from '../profiles/journeys.ts';
import type { PlannedCaller } from '../profiles/plan.ts';
import { plan } from './plan.ts';

export interface Segment {
  readonly downloadUrl: string;
  readonly size: number;
}

export interface Job {
  readonly id: string;
  readonly status: string;
  readonly segments?: readonly Segment[];
}

type TextResponse = RefinedResponse<'text'>;

/** From the request to the moment when a poll finds the job completed. */
const jobSeconds = new Trend('job_seconds');

const POLL_EVERY_SECONDS = 0.5;
const SEGMENT_SECONDS = 10;

export function get(caller: PlannedCaller, path: string, name: string): TextResponse {
  return http.get(`${plan.baseUrl}${path}`, { ...paramsOf(caller, name), responseType: 'text' });
}

export function post(caller: PlannedCaller, path: string, name: string, body: object): TextResponse {
  const params = paramsOf(caller, name);
  return http.post(`${plan.baseUrl}${path}`, JSON.stringify(body), {
    ...params,
    responseType: 'text',
    headers: { ...params.headers, 'Content-Type': 'application/json' },
  });
}

/** Undefined if it was refused; a failed check reports that. */
export function createJob(caller: PlannedCaller, sourceUrl: string): Job | undefined {
  const response = post(caller, '/api/v1/splits', 'POST /splits', {
    sourceUrl,
    splitMode: 'duration',
    segmentDuration: SEGMENT_SECONDS,
  });
  return check(response, { 'a job is created': ({ status }) => status === 201 })
    ? (response.json() as unknown as Job)
    : undefined;
}

/**
 * Polls as a caller without webhooks does. Undefined if the job fails or takes too long; a failed check
 * reports that.
 */
export function waitForJob(caller: PlannedCaller, id: string): Job | undefined {
  const startedMs = Date.now();
  let job: Job = { id, status: 'queued' };
  while (job.status !== 'completed' && job.status !== 'failed') {
    if (Date.now() - startedMs > JOB_GIVE_UP_SECONDS * 1_000) break;
    sleep(POLL_EVERY_SECONDS);
    const response = get(caller, `/api/v1/splits/${id}`, 'GET /splits/:id');
    if (response.status === 200) job = response.json() as unknown as Job;
  }
  const isCompleted = check(job, { 'the job is completed': ({ status }) => status === 'completed' });
  if (!isCompleted) return undefined;
  jobSeconds.add((Date.now() - startedMs) / 1_000);
  return job;
}

export function removeJob(caller: PlannedCaller, id: string): void {
  const url = `${plan.baseUrl}/api/v1/splits/${id}`;
  const response = http.del(url, null, paramsOf(caller, 'DELETE /splits/:id'));
  check(response, { 'the job is deleted': ({ status }) => status === 204 });
}

/** Checks that the number of bytes received is the job's. */
export function download({ downloadUrl, size }: Segment): void {
  const response = http.get(downloadUrl, { tags: { name: 'GET segment' }, responseType: 'binary' });
  check(response, {
    'a segment arrives whole': ({ status, body }) => status === 200 && body.byteLength === size,
  });
}

function paramsOf({ apiKey }: PlannedCaller, name: string) {
  return { headers: { 'X-API-Key': apiKey }, tags: { name } };
}
