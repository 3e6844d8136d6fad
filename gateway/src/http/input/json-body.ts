import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isCounted } from '../admission/admission.ts';
import { ApiError } from '../errors/api-error.ts';
import { onRequestEnd } from '../server/request-end.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The body as it was sent, where there is one. */
    jsonText: string | undefined;
    /** Runs until the body has arrived. */
    bodyTimer: NodeJS.Timeout | undefined;
  }
}

/** The contract's bound on a request body. */
export const MAX_BODY_BYTES = 256 * 1024;

/** For all of a body. Requests whose body trickles in would fill the bound on requests in hand. */
const BODY_TIMEOUT_MS = 20_000;

/**
 * Bodies are JSON in UTF-8 and nothing else. None at all reads as `{}`, so that a body of optional fields may
 * be left out, with or without a Content-Type.
 */
export function addJsonBodies(app: FastifyInstance, bodyTimeoutMs = BODY_TIMEOUT_MS): void {
  app.decorateRequest('jsonText', undefined);
  app.decorateRequest('bodyTimer', undefined);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    const { 'content-encoding': encoding = 'identity' } = request.headers;
    if (encoding !== 'identity') {
      return done(new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Send the body without a Content-Encoding.'));
    }
    const text = decodeUtf8(body);
    if (text === undefined) return done(new ApiError('INVALID_PARAMS', 'The body is not valid UTF-8.'));
    request.jsonText = text;
    let value: unknown;
    try {
      // A member `__proto__` becomes one like any other: schemas refuse it, but for metadata, which stays text.
      value = JSON.parse(text);
    } catch (cause) {
      return done(new ApiError('INVALID_PARAMS', 'The body is not valid JSON.', { cause }));
    }
    return done(null, value);
  });
  app.addHook('preParsing', (request, _reply, payload, done) => {
    if (hasJsonBody(request)) {
      request.bodyTimer = setTimeout(() => request.raw.destroy(), bodyTimeoutMs);
      payload.once('end', () => clearTimeout(request.bodyTimer));
    }
    done(null, payload);
  });
  // A body that is refused before it has arrived is not read to its end: the timer ends with the request, and the
  // connection with the answer, or the rest could trickle in for as long as it likes.
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!request.raw.complete && hasJsonBody(request)) reply.header('connection', 'close');
    done(null, payload);
  });
  onRequestEnd(app, (request) => clearTimeout(request.bodyTimer));
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.body === undefined && request.routeOptions.schema?.body !== undefined) request.body = {};
    done();
  });
}

/** Files come outside of the API, and take as long as they take. */
function hasJsonBody(request: FastifyRequest): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': transfer } = request.headers;
  const isRead = request.method !== 'GET' && request.method !== 'HEAD';
  return isRead && (length !== '0' || transfer !== undefined) && isCounted(request);
}

/** Undefined where bytes would have to be replaced. A byte order mark is dropped (RFC 8259, section 8.1). */
function decodeUtf8(body: Buffer): string | undefined {
  return isUtf8(body) ? new TextDecoder().decode(body) : undefined;
}
