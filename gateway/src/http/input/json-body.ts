import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isCounted } from '../admission/admission.ts';
import { ApiError } from '../errors/api-error.ts';
import { onRequestEnd } from '../server/request-end.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The unparsed body, if any. */
    jsonText: string | undefined;
    bodyTimer: NodeJS.Timeout | undefined;
  }
}

export const MAX_BODY_BYTES = 256 * 1024;
/** For bodies with a list of positions, which may have 9,999 entries with a title each. */
export const MAX_LISTING_BODY_BYTES = 1024 * 1024;

/** Bounds the whole body: slow bodies would use up the limit on requests in flight. */
const BODY_TIMEOUT_MS = 20_000;

/** Request bodies: JSON in UTF-8 only. An absent body reads as `{}`, with or without a Content-Type. */
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
      // `__proto__` becomes an ordinary member. Schemas reject it, except in metadata, which stays text.
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
  // A body that is refused early is not read to its end. The timer ends with the request and the connection with the
  // response, or the rest could arrive for as long as it likes.
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

/** Uploads are outside of the API and have no time limit of their own. */
function hasJsonBody(request: FastifyRequest): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': transfer } = request.headers;
  const isRead = request.method !== 'GET' && request.method !== 'HEAD';
  return isRead && (length !== '0' || transfer !== undefined) && isCounted(request);
}

/** Undefined for invalid UTF-8. A byte order mark is dropped (RFC 8259, section 8.1). */
function decodeUtf8(body: Buffer): string | undefined {
  return isUtf8(body) ? new TextDecoder().decode(body) : undefined;
}
