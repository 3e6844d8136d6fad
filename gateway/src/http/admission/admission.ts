/**
 * Admission: identifies the caller, takes one token from its bucket, then checks access. The bucket comes
 * before every refusal, so each counted response carries the limit headers. An unidentified caller counts
 * against its address. Creating an account for an external issuer's subject does too, because an issuer may
 * create subjects without limit. A call with a valid credential costs the address nothing (decision 51).
 *
 * Outside of the API, requests count against the address, by the bound that the route names.
 *
 * Calls fail closed: if the limiter or auth is unavailable, the response is 503 and costs no token. The
 * gateway is not ready then either.
 */
import type { Clock } from '@audiosplit/chassis/clock';
import { ServiceError, UnavailableError } from '@audiosplit/chassis/errors';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Bounds } from '../../bounds/bound-settings.ts';
import { boundsOf, type RouteBound } from '../../bounds/route-bounds.ts';
import { ACCESS_COOKIE, readCookie } from '../../console/cookies.ts';
import type { AskForCaller, Credentials, PresentedCredentials } from '../../credentials/credentials.ts';
import type { KeyUseRecorder } from '../../credentials/key-use-recorder.ts';
import type { Principal } from '../../credentials/principal.ts';
import { isOpenToSuspended, refuseSuspended } from '../../credentials/suspension.ts';
import { bearerKeyOf } from '../../mcp/bearer-key.ts';
import type { RateLimiter } from '../../rate-limit/rate-limiter.ts';
import { toApiError } from '../errors/api-error.ts';
import { type Access, ANYONE } from '../server/access.ts';
import { API_PATH } from '../server/api-path.ts';
import { addressBucket } from '../server/client-address.ts';
import type { AddressWindow } from './address-window.ts';
import { type Bucket, takeToken, uncountedHeaders } from './tokens.ts';

interface AdmissionOptions {
  readonly credentials: Credentials;
  readonly limiter: RateLimiter;
  readonly addressWindow: AddressWindow;
  readonly bounds: Bounds;
  readonly keyUses: KeyUseRecorder;
  readonly clock: Clock;
}

export type Admit = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

type Identified =
  | { readonly status: 'known'; readonly principal: Principal }
  | { readonly status: 'anonymous' }
  | { readonly status: 'refused'; readonly error: unknown };

export function createAdmission(options: AdmissionOptions): Admit {
  return async (request, reply) => {
    const access = accessOf(request);
    if (access !== undefined) await admitCall(options, access, request, reply);
    else await admitVisit(options, request, reply);
  };
}

async function admitCall(
  options: AdmissionOptions,
  access: Access,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { addressWindow, bounds, clock, keyUses } = options;
  // Responses hold secrets, signed links and private data, and errors are temporary.
  reply.header('cache-control', 'no-store');

  // Released after the call is counted.
  using places = new DisposableStack();
  const identified = await identify(options, access, request, places);
  if (identified.status === 'refused' && isUncounted(identified.error)) {
    reply.headers(uncountedHeaders(clock(), bounds.ADDRESS_REQUESTS_PER_MINUTE));
    throw identified.error;
  }
  const bucket =
    identified.status === 'known'
      ? bucketOf(identified.principal, access, bounds)
      : addressWindow.bucketOf(request.ip);
  const { headers, refusal } = await takeToken(options, bucket);
  reply.headers(headers);
  if (refusal !== undefined) throw refusal;

  if (identified.status === 'refused') throw identified.error;
  if (identified.status === 'anonymous') return;
  const { principal } = identified;
  if (principal.kind === 'apiKey') keyUses.record(principal.keyId);
  authorize(principal, access);
  if (!isOpenToSuspended(request.method, request.routeOptions.config)) refuseSuspended(principal);
  request.principal = principal;
}

/** Whether the caller may be a good one that could not be identified. */
function isUncounted(error: unknown): boolean {
  const { code, details } = toApiError(error);
  return code === 'SERVICE_UNAVAILABLE' || details.addressRefusal?.isWindowSpent === false;
}

const NO_ROUTE: readonly RouteBound[] = ['pages'];

/** A page, a file behind a link, or an unknown path. */
async function admitVisit(
  options: AdmissionOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { DOWNLOADS_PER_MINUTE, PAGES_PER_MINUTE, UPLOADS_PER_MINUTE } = options.bounds;
  const bounds = request.is404 ? NO_ROUTE : boundsOf(request.routeOptions.config);
  const limits = { downloads: DOWNLOADS_PER_MINUTE, uploads: UPLOADS_PER_MINUTE, pages: PAGES_PER_MINUTE };
  const kind = (['downloads', 'uploads', 'pages'] as const).find((each) => bounds.includes(each));
  // Other bounds are counted where the caller is known.
  if (kind === undefined) return;
  const address = addressBucket(request.ip);
  const { headers, refusal } = await takeToken(options, {
    name: `${kind}:${address}`,
    limit: limits[kind],
    address,
  });
  // Pages and files are sent even without the limiter: they use no other process.
  if (refusal instanceof UnavailableError) return;
  reply.headers(headers);
  if (refusal === undefined) return;
  reply.header('cache-control', 'no-store');
  // The file of a refused upload is not read.
  if (kind === 'uploads') reply.header('connection', 'close');
  throw refusal;
}

/** Whether the request is a call of the API or of the console's procedures. */
export function isCall(request: FastifyRequest): boolean {
  return accessOf(request) !== undefined;
}

/** Unknown paths below the API's prefix count like any unauthenticated request. */
function accessOf(request: FastifyRequest): Access | undefined {
  return request.routeOptions.config?.access ?? (API_PATH.test(request.url) ? ANYONE : undefined);
}

async function identify(
  { credentials, addressWindow }: AdmissionOptions,
  access: Access,
  request: FastifyRequest,
  places: DisposableStack,
): Promise<Identified> {
  const presented = presentedBy(request);
  const countFirstSignIn = async () => {
    const { refusal } = await addressWindow.count(request.ip);
    if (refusal !== undefined) throw refusal;
  };
  const askForCaller: AskForCaller = async (mayPass) => {
    places.use(await addressWindow.placeToAsk('auth', request.ip, mayPass));
  };
  try {
    switch (access.kind) {
      case 'anyone':
        return { status: 'anonymous' };
      case 'account':
        return { status: 'known', principal: await credentials.verifyAccount(presented, countFirstSignIn) };
      case 'apiKey':
        return { status: 'known', principal: await credentials.verifyApiKey(presented, askForCaller) };
      case 'bearerKey': {
        const apiKey = bearerKeyOf(request.headers);
        if (apiKey === undefined)
          throw new ServiceError(Reason.UNAUTHORIZED, 'Send an API key as Authorization: Bearer <key>.');
        const principal = await credentials.verifyApiKey({ authorization: undefined, apiKey }, askForCaller);
        return { status: 'known', principal };
      }
      case 'accountOrApiKey': {
        const hasKeyAlone = presented.authorization === undefined && presented.apiKey !== undefined;
        const principal = hasKeyAlone
          ? await credentials.verifyApiKey(presented, askForCaller)
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

/**
 * The bucket for a console session's reads: people browse faster than smaller plans allow programs to call.
 */
export function consoleBucketOf(
  { accountId, requestsPerMinute }: Principal,
  { CONSOLE_READS_PER_MINUTE }: Bounds,
): Bucket {
  return { name: `console:${accountId}`, limit: Math.max(CONSOLE_READS_PER_MINUTE, requestsPerMinute) };
}

/** Counts further calls of an admitted caller, even beyond the limit. Returns the limit headers. */
export function createCallCounter(options: Pick<AdmissionOptions, 'limiter' | 'clock'>) {
  return async (principal: Principal, calls: number): Promise<Readonly<Record<string, string>>> => {
    const bucket = planBucketOf(principal);
    const counted = await Promise.all(Array.from({ length: calls }, () => takeToken(options, bucket)));
    return counted.at(-1)?.headers ?? {};
  };
}

/** Changes by a console session count against the plan. */
function bucketOf(principal: Principal, access: Access, bounds: Bounds): Bucket {
  if (access.kind === 'session' && access.reads) return consoleBucketOf(principal, bounds);
  return planBucketOf(principal);
}

function planBucketOf(principal: Principal): Bucket {
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
