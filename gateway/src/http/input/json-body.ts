import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors/api-error.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The unparsed body, if any. */
    jsonText: string | undefined;
  }
}

export const MAX_BODY_BYTES = 256 * 1024;
/** For bodies with a list of positions, which may have 9,999 entries with a title each. */
export const MAX_LISTING_BODY_BYTES = 1024 * 1024;

/** Request bodies: JSON in UTF-8 only. An absent body reads as `{}`, with or without a Content-Type. */
export function addJsonBodies(app: FastifyInstance): void {
  app.decorateRequest('jsonText', undefined);
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
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.body === undefined && request.routeOptions.schema?.body !== undefined) request.body = {};
    done();
  });
}

/** Undefined for invalid UTF-8. A byte order mark is dropped (RFC 8259, section 8.1). */
function decodeUtf8(body: Buffer): string | undefined {
  return isUtf8(body) ? new TextDecoder().decode(body) : undefined;
}
