/**
 * Admission to the API: identifies the caller, takes one token from its bucket, then checks access. The bucket comes
 * before every refusal, so that each response below /api/v1 carries the limit headers, and bad credentials count
 * against their address. Creating an account for an external issuer's subject counts against the address too, because
 * an issuer may hand out subjects freely.
 *
 * Fails closed: if the limiter or auth is unavailable, the response is 503 and costs no token. The gateway is then not
 * ready either.
 */
import type { Clock } from '@audiosplit/chassis/clock';
import { ServiceError, UnavailableError } from '@audiosplit/chassis/errors';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ACCESS_COOKIE, readCookie } from '../../console/cookies.ts';
import type { Credentials, PresentedCredentials } from '../../credentials/credentials.ts';
import type { KeyUseRecorder } from '../../credentials/key-use-recorder.ts';
import type { Principal } from '../../credentials/principal.ts';
import { type RateLimiter, type RateLimitVerdict, WINDOW_SECONDS } from '../../rate-limit/rate-limiter.ts';
import { ApiError, toApiError } from '../errors/api-error.ts';
import { type Access, ANYONE } from '../server/access.ts';
import { API_PATH } from '../server/api-path.ts';
import { addressBucket } from '../server/client-address.ts';

const REQUESTS_PER_MINUTE_PER_ADDRESS = 60;
/**
 * People browse faster than smaller plans allow programs to call. Only reads use this limit; changes count against the
 * plan.
 */
const CONSOLE_READS_PER_MINUTE = 240;

interface AdmissionOptions {
  readonly credentials: Credentials;
  readonly limiter: RateLimiter;
  readonly keyUses: KeyUseRecorder;
  readonly clock: Clock;
}

export type Admit = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** Counts malformed input against its address. */
export type CountAddress = (ip: string) => Promise<Counted>;

interface Counted {
  readonly headers: Readonly<Record<string, string>>;
  /** Why no token was taken. */
  readonly refusal: Error | undefined;
}

type Identified =
  | { readonly status: 'known'; readonly principal: Principal }
  | { readonly status: 'anonymous' }
  | { readonly status: 'refused'; readonly error: unknown };

export function createAdmission(options: AdmissionOptions): Admit {
  const { keyUses } = options;
  return async (request, reply) => {
    const access = accessOf(request);
    if (access === undefined) return;
    // Responses hold secrets, signed links and private data, and errors are temporary.
    reply.header('cache-control', 'no-store');

    const identified = await identify(options, access, request);
    if (identified.status === 'refused' && toApiError(identified.error).code === 'SERVICE_UNAVAILABLE') {
      reply.headers(uncountedHeaders(options.clock()));
      throw identified.error;
    }
    const { headers, refusal } = await takeToken(options, bucketOf(identified, access, request.ip));
    reply.headers(headers);
    if (refusal !== undefined) throw refusal;

    if (identified.status === 'refused') throw identified.error;
    if (identified.status === 'anonymous') return;
    const { principal } = identified;
    if (principal.kind === 'apiKey') keyUses.record(principal.keyId);
    authorize(principal, access);
    request.principal = principal;
  };
}

export function createAddressCounter(options: Pick<AdmissionOptions, 'limiter' | 'clock'>): CountAddress {
  return (ip) => takeToken(options, addressBucketOf(ip));
}

async function takeToken(
  { limiter, clock }: Pick<AdmissionOptions, 'limiter' | 'clock'>,
  bucket: Bucket,
): Promise<Counted> {
  let verdict: RateLimitVerdict;
  try {
    verdict = await limiter.take(bucket.name, bucket.limit);
  } catch (error) {
    return {
      headers: limitHeaders({ ...closedWindow(clock()), limit: bucket.limit }),
      refusal: new UnavailableError(error),
    };
  }
  const refusal = verdict.allowed
    ? undefined
    : new ApiError('RATE_LIMITED', `More than ${verdict.limit} requests within a minute.`, {
        retryAfterSeconds: verdict.retryAfterSeconds,
      });
  return { headers: limitHeaders(verdict), refusal };
}

/** Headers for a caller who was not counted. */
export function uncountedHeaders(now: Date): Record<string, string> {
  return limitHeaders({ ...closedWindow(now), limit: REQUESTS_PER_MINUTE_PER_ADDRESS });
}

/** Whether the request counts against a limit. */
export function isCounted(request: FastifyRequest): boolean {
  return accessOf(request) !== undefined;
}

/** Unknown paths below the API's prefix count like any unauthenticated request. */
function accessOf(request: FastifyRequest): Access | undefined {
  return request.routeOptions.config?.access ?? (API_PATH.test(request.url) ? ANYONE : undefined);
}

async function identify(
  options: AdmissionOptions,
  access: Access,
  request: FastifyRequest,
): Promise<Identified> {
  const { credentials } = options;
  const presented = presentedBy(request);
  const countFirstSignIn = async () => {
    const { refusal } = await takeToken(options, addressBucketOf(request.ip));
    if (refusal !== undefined) throw refusal;
  };
  try {
    switch (access.kind) {
      case 'anyone':
        return { status: 'anonymous' };
      case 'account':
        return { status: 'known', principal: await credentials.verifyAccount(presented, countFirstSignIn) };
      case 'apiKey':
        return { status: 'known', principal: await credentials.verifyApiKey(presented) };
      case 'accountOrApiKey': {
        const hasKeyAlone = presented.authorization === undefined && presented.apiKey !== undefined;
        const principal = hasKeyAlone
          ? await credentials.verifyApiKey(presented)
          : await credentials.verifyAccount(presented, countFirstSignIn);
        return { status: 'known', principal };
      }
      case 'session':
        return {
          status: 'known',
          principal: await credentials.verifyAccount(sessionOf(request), countFirstSignIn),
        };
      default:
        return access satisfies never;
    }
  } catch (error) {
    return { status: 'refused', error };
  }
}

function presentedBy({ headers }: FastifyRequest): PresentedCredentials {
  const apiKey = headers['x-api-key'];
  return { authorization: headers.authorization, apiKey: typeof apiKey === 'string' ? apiKey : undefined };
}

/** The access token that the console's cookie carries. */
function sessionOf({ headers }: FastifyRequest): PresentedCredentials {
  const token = readCookie(headers.cookie, ACCESS_COOKIE);
  if (token === undefined) throw new ServiceError(Reason.UNAUTHORIZED, 'Sign in first.');
  return { authorization: `Bearer ${token}`, apiKey: undefined };
}

interface Bucket {
  readonly name: string;
  readonly limit: number;
}

function addressBucketOf(ip: string): Bucket {
  return { name: `ip:${addressBucket(ip)}`, limit: REQUESTS_PER_MINUTE_PER_ADDRESS };
}

/** The bucket for a console session's reads. */
export function consoleBucketOf({ accountId, requestsPerMinute }: Principal): Bucket {
  return { name: `console:${accountId}`, limit: Math.max(CONSOLE_READS_PER_MINUTE, requestsPerMinute) };
}

function bucketOf(identified: Identified, access: Access, ip: string): Bucket {
  if (identified.status !== 'known') return addressBucketOf(ip);
  const { principal } = identified;
  if (access.kind === 'session' && access.reads) return consoleBucketOf(principal);
  const name = principal.kind === 'apiKey' ? `key:${principal.keyId}` : `account:${principal.accountId}`;
  return { name, limit: principal.requestsPerMinute };
}

/** Throws ServiceError if the principal may not use the route. */
export function authorize(principal: Principal, access: Access): void {
  const needsScope = access.kind === 'apiKey' || access.kind === 'accountOrApiKey';
  if (needsScope && !principal.scopes.includes(access.scope)) {
    throw new ServiceError(Reason.INSUFFICIENT_SCOPE, `This API key lacks the scope ${access.scope}.`, {
      acceptedScopes: [access.scope],
    });
  }
  const isAllowedWhilePending = 'whilePendingDeletion' in access && access.whilePendingDeletion === true;
  if (principal.kind === 'account' && principal.pendingDeletion && !isAllowedWhilePending) {
    throw new ServiceError(
      Reason.ACCOUNT_PENDING_DELETION,
      'This account is about to be deleted; restore it to go on using it.',
    );
  }
}

type LimitFigures = Pick<RateLimitVerdict, 'limit' | 'remaining' | 'resetAtSeconds'>;

function limitHeaders({ limit, remaining, resetAtSeconds }: LimitFigures): Record<string, string> {
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(resetAtSeconds),
  };
}

function closedWindow(now: Date): Omit<LimitFigures, 'limit'> {
  const windowMs = WINDOW_SECONDS * 1000;
  return { remaining: 0, resetAtSeconds: (Math.floor(now.getTime() / windowMs) + 1) * WINDOW_SECONDS };
}
