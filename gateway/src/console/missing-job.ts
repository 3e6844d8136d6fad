/**
 * Detects a page of a job that the signed-in account does not have, so that the document is sent with 404. Without a
 * session, or while a service is unavailable, the document is sent with 200 and the page reads the job itself.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { errorInfoOf } from '@audiosplit/chassis/rpc/errors';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import type { FastifyRequest } from 'fastify';
import type { Bounds } from '../bounds/bound-settings.ts';
import type { Credentials } from '../credentials/credentials.ts';
import { authorize, consoleBucketOf } from '../http/admission/admission.ts';
import type { RateLimiter } from '../rate-limit/rate-limiter.ts';
import { PATH_ID } from '../schemas/fields.ts';
import type { Services } from '../services.ts';
import { ACCESS_COOKIE, readCookie } from './cookies.ts';
import { SESSION } from './trpc.ts';

interface MissingJobDependencies {
  readonly credentials: Credentials;
  readonly services: Services;
  readonly limiter: RateLimiter;
  readonly bounds: Bounds;
}

/** Timeout for all calls together. On timeout the page is sent with 200. */
const TIMEOUT_MS = 1_000;
const JOB_ID = new RegExp(PATH_ID);

export function createMissingJobCheck(
  dependencies: MissingJobDependencies,
): (request: FastifyRequest) => Promise<boolean> {
  return async ({ params, headers }) => {
    const { jobId } = Object(params) as { readonly jobId?: string };
    if (jobId === undefined) return false;
    if (!JOB_ID.test(jobId)) return true;
    const token = readCookie(headers.cookie, ACCESS_COOKIE);
    if (token === undefined) return false;
    const waiting = new AbortController();
    try {
      const tooLate = sleep(TIMEOUT_MS, false, waiting);
      return await Promise.race([isMissing(dependencies, token, jobId), tooLate]);
    } finally {
      waiting.abort();
    }
  };
}

async function isMissing(
  { credentials, services, limiter, bounds }: MissingJobDependencies,
  token: string,
  jobId: string,
): Promise<boolean> {
  try {
    // A new user of an external issuer has no job. This check must not create an account.
    const principal = await credentials.verifyAccount(
      { authorization: `Bearer ${token}`, apiKey: undefined },
      () => Promise.reject(new Error('this check creates no account')),
    );
    authorize(principal, SESSION);
    const bucket = consoleBucketOf(principal, bounds);
    if (!(await limiter.take(bucket.name, bucket.limit)).allowed) return false;
    await services.jobs.getJob({ jobId, omitSegments: true }, services.actingFor(principal));
    return false;
  } catch (error) {
    return errorInfoOf(error).reason === Reason.JOB_NOT_FOUND;
  }
}
