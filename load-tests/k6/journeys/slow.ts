/**
 * Jobs and uploads that make an installation wait, and the same without the wait. The stub server sends the uploads,
 * because k6 sends bodies in one piece.
 */
import { check, sleep } from 'k6';
import http from 'k6/http';
import { TRICKLE_SECONDS } from '../../profiles/journeys.ts';
import { SLOW_PATHS } from '../../profiles/slow-paths.ts';
import { createJob, post } from '../api.ts';
import { currentCaller, plan } from '../plan.ts';

/** A job whose source arrives just fast enough to be accepted, until it is cancelled. */
export function trickleSource(): void {
  cancelAfter(TRICKLE_SECONDS);
}

/** The same requests, but the job is cancelled at once. */
export function cancelJob(): void {
  cancelAfter(0);
}

/** An upload that begins and then sends nothing until it is broken off. */
export function stallUpload(): void {
  upload(SLOW_PATHS.stalledUpload);
}

/** The same requests and bytes, but the upload is complete. */
export function sendUpload(): void {
  upload(SLOW_PATHS.upload);
}

function cancelAfter(seconds: number): void {
  const caller = currentCaller();
  const job = createJob(caller, slowUrl(SLOW_PATHS.source));
  if (job === undefined) return;
  sleep(seconds);
  const response = post(caller, `/api/v1/splits/${job.id}/cancel`, 'POST /splits/:id/cancel', {});
  check(response, { 'the job is cancelled': ({ status }) => status === 200 });
}

function upload(path: string): void {
  const reserved = post(currentCaller(), '/api/v1/uploads', 'POST /uploads', { fileName: 'slow.mp3' });
  if (!check(reserved, { 'an upload is reserved': ({ status }) => status === 201 })) return;
  const { uploadUrl } = reserved.json() as unknown as { readonly uploadUrl: string };
  http.post(slowUrl(path), JSON.stringify({ uploadUrl }), { tags: { name: 'upload of the stub server' } });
}

function slowUrl(path: string): string {
  if (plan.stubServerUrl === undefined) throw new Error('the plan has no stub server');
  return `${plan.stubServerUrl}${path}`;
}
