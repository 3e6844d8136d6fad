/**
 * Detects a page of a job or a batch that the signed-in account does not have, so that the document is sent with 404. Without a
 * session, or while a service is unavailable, the document is sent with 200 and the page reads it itself.
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

interface MissingPageDependencies {
  readonly credentials: Credentials;
  readonly services: Services;
  readonly limiter: RateLimiter;
  readonly bounds: Bounds;
}

/** The resource that the page shows. */
interface Shown {
  readonly jobId?: string;
  readonly batchId?: string;
}

/** Timeout for all calls together. On timeout the page is sent with 200. */
const TIMEOUT_MS = 1_000;
const ID = new RegExp(PATH_ID);

export function createMissingPageCheck(
  dependencies: MissingPageDependencies,
): (request: FastifyRequest) => Promise<boolean> {
  return async ({ params, headers }) => {
    const shown = Object(params) as Shown;
    const id = shown.jobId ?? shown.batchId;
    if (id === undefined) return false;
    if (!ID.test(id)) return true;
    const token = readCookie(headers.cookie, ACCESS_COOKIE);
    if (token === undefined) return false;
    const waiting = new AbortController();
    try {
      const tooLate = sleep(TIMEOUT_MS, false, waiting);
      return await Promise.race([isMissing(dependencies, token, shown), tooLate]);
    } finally {
      waiting.abort();
    }
  };
}

async function isMissing(
  { credentials, services, limiter, bounds }: MissingPageDependencies,
  token: string,
  { jobId, batchId }: Shown,
): Promise<boolean> {
  try {
    // A new user of an external issuer has no jobs. This check must not create an account.
    const principal = await credentials.verifyAccount(
      { authorization: `Bearer ${token}`, apiKey: undefined },
      () => Promise.reject(new Error('this check creates no account')),
    );
    authorize(principal, SESSION);
    const bucket = consoleBucketOf(principal, bounds);
    if (!(await limiter.take(bucket.name, bucket.limit)).allowed) return false;
    const asCaller = services.actingFor(principal);
    if (jobId !== undefined) await services.jobs.getJob({ jobId, omitSegments: true }, asCaller);
    if (batchId !== undefined) await services.jobs.getBatch({ batchId }, asCaller);
    return false;
  } catch (error) {
    const { reason } = errorInfoOf(error);
    return reason === Reason.JOB_NOT_FOUND || reason === Reason.NOT_FOUND;
  }
}
