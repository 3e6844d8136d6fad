import type { FastifyInstance } from 'fastify';
import { ApiError } from './api-error.ts';

/** The contract's bound on a request body. */
export const MAX_BODY_BYTES = 256 * 1024;

/**
 * Bodies are JSON and nothing else. None at all reads as `{}`, so that a body of optional fields may be left
 * out, with or without a Content-Type.
 */
export function addJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined);
    return parse(request, body, (error, value) => {
      if (error === null) done(null, value);
      else done(new ApiError('INVALID_PARAMS', 'The body is not valid JSON.', { cause: error }), undefined);
    });
  });
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.body === undefined && request.routeOptions.schema?.body !== undefined) request.body = {};
    done();
  });
}
