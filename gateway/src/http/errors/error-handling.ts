import { maxHeaderSize, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Logger } from '@audiosplit/chassis/process/log';
import { newTrace, REQUEST_ID_HEADER, runInTrace } from '@audiosplit/chassis/trace';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AddressWindow } from '../admission/address-window.ts';
import type { LateRefusals } from '../admission/late-refusals.ts';
import type { Access } from '../server/access.ts';
import { type PageFile, sendDocument } from '../server/page-file.ts';
import { countRefusal } from '../server/request-metrics.ts';
import type { RoutesByPath } from '../server/routes-by-path.ts';
import { mayGetPage, wantsPage } from '../server/wants-page.ts';
import { ApiError, errorHeaders, pathNotFound, toApiError, toEnvelope } from './api-error.ts';

/** Sends the error envelope. Internal errors are logged and not described to the caller. */
export function sendError(thrown: unknown, request: FastifyRequest, reply: FastifyReply, log: Logger): void {
  const error = toApiError(thrown);
  countRefusal(error);
  request.addressRefusal = error.details.addressRefusal;
  if (error.status >= 500 && error.details.isLogged !== true) {
    const cause = error.details.cause ?? error;
    runInTrace(request.trace, () =>
      log[error.code === 'INTERNAL_ERROR' ? 'error' : 'warn']({ err: cause }, error.code),
    );
  }
  const challenge =
    error.status === 401 ? { 'www-authenticate': challengeOf(request.routeOptions.config?.access) } : {};
  reply
    .code(error.status)
    .headers({ ...challenge, ...errorHeaders(error) })
    .type('application/json; charset=utf-8')
    // Serialised here, so that no response schema of the route drops fields.
    .serializer(JSON.stringify)
    .send(toEnvelope(error));
}

interface ErrorHandlingOptions {
  /** The page for a browser that requests an unknown path. Without it, browsers get the envelope too. */
  readonly notFoundPage?: PageFile | undefined;
}

export function addErrorHandling(
  app: FastifyInstance,
  routes: RoutesByPath,
  log: Logger,
  { notFoundPage }: ErrorHandlingOptions = {},
): void {
  const answer = async (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const error = toApiError(thrown);
    const page = error.status === 404 && mayGetPage(request) ? notFoundPage : undefined;
    if (page === undefined || !wantsPage(request)) {
      if (page !== undefined) reply.header('vary', 'accept');
      sendError(error, request, reply, log);
      return reply;
    }
    countRefusal(error);
    return sendDocument(request, reply.code(404), page);
  };
  const refusalOf = (request: FastifyRequest): ApiError => {
    const [path = ''] = request.url.split('?');
    const allowed = routes.methodsAt(path);
    // The method is right, so the route itself found nothing.
    if (allowed.length === 0 || allowed.includes(request.method)) return pathNotFound();
    const allow = allowed.join(', ');
    return new ApiError('METHOD_NOT_ALLOWED', `This path takes ${allow}.`, { headers: { allow } });
  };
  app.setErrorHandler(answer);
  // Before the body, which is not read.
  app.addHook('onRequest', (request, _reply, done) => {
    done(request.is404 ? refusalOf(request) : undefined);
  });
  app.setNotFoundHandler((request, reply) => answer(refusalOf(request), request, reply));
  // An error in the middle of a response cannot be reported; the client sees that the response is truncated.
  app.addHook('onSend', (request, reply, payload, done) => {
    if (payload instanceof Readable) {
      payload.once('error', (error) => {
        if (reply.raw.headersSent)
          runInTrace(request.trace, () => log.error({ err: error }, 'an answer is cut short'));
      });
    }
    done(null, payload);
  });
}

/** RFC 9110, section 11.6.1: a 401 names an accepted scheme. */
function challengeOf(access: Access | undefined): string {
  return access?.kind === 'apiKey'
    ? 'ApiKey realm="audiosplit", header="X-API-Key"'
    : 'Bearer realm="audiosplit"';
}

/**
 * Responds to input that is not HTTP on the socket, and closes the connection. Such input counts against the
 * address of the connection, like a request without a credential; there are no headers that could name
 * another address.
 */
export function createMalformedHttpRefusal(dependencies: RefusalDependencies) {
  // Only the first malformed bytes of a connection are answered.
  const refused = new WeakSet<Socket>();
  return (error: Error, socket: Socket): void => {
    // Browsers open connections ahead of need: one that times out without a byte is not a bad request.
    if (socket.bytesRead === 0) return void socket.destroy();
    if (!socket.writable || refused.has(socket)) return;
    refused.add(socket);
    void refuse(error, socket, dependencies);
  };
}

interface RefusalDependencies {
  readonly addressWindow: AddressWindow;
  readonly lateRefusals: LateRefusals;
}

async function refuse(
  error: Error,
  socket: Socket,
  { addressWindow, lateRefusals }: RefusalDependencies,
): Promise<void> {
  const { headers, refusal } = await addressWindow.count(socket.remoteAddress ?? '');
  const answer = toApiError(refusal ?? complaintOf('code' in error ? error.code : undefined));
  countRefusal(answer);
  if (answer.details.addressRefusal !== undefined) lateRefusals.count(answer.details.addressRefusal);
  const body = JSON.stringify(toEnvelope(answer));
  const lines = Object.entries({
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    [REQUEST_ID_HEADER]: newTrace().requestId,
    Connection: 'close',
    ...headers,
    ...errorHeaders(answer),
  }).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}`, ...lines, '', body].join('\r\n'));
}

function complaintOf(code: unknown): ApiError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError(
        'INVALID_PARAMS',
        `The request line and the headers are longer than ${maxHeaderSize} bytes together.`,
      );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError('REQUEST_TIMEOUT', 'The request took too long to arrive.');
    default:
      return new ApiError('INVALID_PARAMS', 'This is not a well-formed HTTP request.');
  }
}
