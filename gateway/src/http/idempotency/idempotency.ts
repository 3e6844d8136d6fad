/**
 * Idempotency: passes the Idempotency-Key on to the services, which return the first response to a repeated request.
 * Errors of the gateway itself are produced again.
 */
import { createHash } from 'node:crypto';
import {
  accountScope,
  type OutgoingIdempotencyKey,
  runWithIdempotencyKey,
} from '@audiosplit/chassis/idempotency/idempotency-key';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Principal } from '../../credentials/principal.ts';
import { ApiError } from '../errors/api-error.ts';
import { addressBucket } from '../server/client-address.ts';

declare module 'fastify' {
  interface FastifyRequest {
    idempotencyKey: OutgoingIdempotencyKey | undefined;
  }
}

const HEADER = 'idempotency-key';
/** Visible ASCII, with spaces only in between, which every proxy passes on. */
export const IDEMPOTENCY_KEY_PATTERN = '^[!-~]([ -~]{0,253}[!-~])?$';
const ACCEPTED = new RegExp(IDEMPOTENCY_KEY_PATTERN);

/** Applies to every POST of the API. Elsewhere the header is ignored. */
export function addIdempotencyKeys(api: FastifyInstance): void {
  api.decorateRequest('idempotencyKey', undefined);
  api.addHook('preHandler', (request, _reply, done) => {
    const key = request.method === 'POST' ? keyOf(request) : undefined;
    if (key === undefined) return done();
    request.idempotencyKey = key;
    return runWithIdempotencyKey(key, done);
  });
  api.addHook('onSend', (request, reply, payload, done) => {
    if (request.idempotencyKey?.replayed === true) reply.header('idempotency-replayed', 'true');
    done(null, payload);
  });
}

function keyOf(request: FastifyRequest): OutgoingIdempotencyKey | undefined {
  const key = request.headers[HEADER];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !ACCEPTED.test(key)) {
    const message = 'give 1 to 255 visible characters of ASCII, the same for the same request.';
    throw new ApiError('INVALID_PARAMS', `Idempotency-Key: ${message}`, {
      violations: [{ field: 'Idempotency-Key', message }],
    });
  }
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([request.method, request.url, withoutSpaces(request.jsonText ?? '')]))
    .digest('base64url');
  return { scope: scopeOf(request.principal, request.ip), key, fingerprint, replayed: false };
}

/**
 * Removes the white space between tokens: a repeated request may differ only in that. Parsing would lose
 * values that JavaScript cannot represent, and fails for deep nesting.
 */
function withoutSpaces(json: string): string {
  return json.replace(/("[^"\\]*(?:\\.[^"\\]*)*")|[ \t\n\r]+/g, '$1');
}

/** The scope includes the credential: another one of the same account may have fewer rights. */
function scopeOf(principal: Principal | undefined, ip: string): string {
  if (principal === undefined) return `address:${addressBucket(ip)}`;
  const credential = principal.kind === 'apiKey' ? principal.keyId : 'jwt';
  return accountScope(principal.accountId, credential);
}
