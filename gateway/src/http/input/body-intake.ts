/**
 * Bounds request bodies as they arrive: their time, and the memory for those of unidentified callers. Uploads
 * are files and have limits of their own.
 *
 * All unidentified callers share BODY_BUFFER_BYTES. When it is full, the address with the most loses its
 * newest body.
 */
import { type Readable, Transform } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Bounds } from '../../bounds/bound-settings.ts';
import { boundsOf } from '../../bounds/route-bounds.ts';
import type { Share, SharedBudget } from '../../bounds/shared-budget.ts';
import { ApiError } from '../errors/api-error.ts';
import { addressBucket } from '../server/client-address.ts';
import { onRequestEnd } from '../server/request-end.ts';

declare module 'fastify' {
  interface FastifyRequest {
    arrivingBody: ArrivingBody | undefined;
  }
}

interface ArrivingBody {
  readonly stream: Readable;
  /** Stops its timer and releases its bytes. */
  end(): void;
}

interface BodyIntakeOptions {
  readonly bounds: Pick<Bounds, 'REQUEST_BODY_SECONDS' | 'UNIDENTIFIED_BODY_BYTES'>;
  readonly buffer: SharedBudget;
}

export function addBodyIntake(app: FastifyInstance, { bounds, buffer }: BodyIntakeOptions): void {
  const { REQUEST_BODY_SECONDS: seconds, UNIDENTIFIED_BODY_BYTES: maxBytes } = bounds;
  app.decorateRequest('arrivingBody', undefined);
  app.addHook('preParsing', (request, _reply, payload, done) => {
    if (!hasBoundedBody(request)) return done(null, payload);
    const isIdentified = request.principal !== undefined;
    if (!isIdentified && Number(request.headers['content-length'] ?? 0) > maxBytes) {
      return done(bodyTooLarge(maxBytes));
    }
    const body = receive(payload, {
      timeoutMs: seconds * 1_000,
      timeoutError: () => new ApiError('REQUEST_TIMEOUT', `The body took more than ${seconds} s to arrive.`),
      maxBytes: isIdentified ? Number.POSITIVE_INFINITY : maxBytes,
      openShare: (onRevoked) =>
        isIdentified
          ? undefined
          : buffer.open(addressBucket(request.ip), () => onRevoked(bufferFull(buffer))),
      fullError: () => bufferFull(buffer),
    });
    request.arrivingBody = body;
    done(null, body.stream);
  });
  // A body that is refused early is not read to its end. The connection ends with the response; otherwise the
  // rest could arrive without a time limit.
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!request.raw.complete && hasBoundedBody(request)) reply.header('connection', 'close');
    done(null, payload);
  });
  onRequestEnd(app, (request) => request.arrivingBody?.end());
}

function hasBoundedBody(request: FastifyRequest): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': transfer } = request.headers;
  const isRead = request.method !== 'GET' && request.method !== 'HEAD';
  const isSent = length !== '0' || transfer !== undefined;
  return isRead && isSent && !boundsOf(request.routeOptions.config ?? {}).includes('uploads');
}

interface ReceiveOptions {
  readonly timeoutMs: number;
  readonly timeoutError: () => Error;
  readonly maxBytes: number;
  readonly openShare: (onRevoked: (error: Error) => void) => Share | undefined;
  readonly fullError: () => Error;
}

function receive(payload: Readable, options: ReceiveOptions): ArrivingBody {
  const { timeoutMs, timeoutError, maxBytes, openShare, fullError } = options;
  let receivedBytes = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      // The first byte restarts the timer.
      if (receivedBytes === 0) timer.refresh();
      receivedBytes += chunk.length;
      if (receivedBytes > maxBytes) done(bodyTooLarge(maxBytes));
      else if (share?.grow(chunk.length) === false) done(fullError());
      else done(null, chunk);
    },
  });
  // It may fail after the parser has stopped listening.
  stream.on('error', () => undefined);
  const fail = (error: Error) => void stream.destroy(error);
  const timer = setTimeout(() => fail(timeoutError()), timeoutMs);
  const share = openShare(fail);
  const end = () => {
    clearTimeout(timer);
    share?.[Symbol.dispose]();
  };
  stream.once('close', end);
  // Not `pipeline`, which would close the connection of a refused body before the refusal is sent.
  payload.once('error', fail);
  payload.once('close', () => {
    if (!payload.readableEnded) fail(new Error('the body broke off'));
  });
  payload.pipe(stream);
  return { stream, end };
}

function bodyTooLarge(maxBytes: number): ApiError {
  return new ApiError(
    'PAYLOAD_TOO_LARGE',
    `Without a credential a request body may have ${maxBytes} bytes at most.`,
  );
}

function bufferFull({ limitBytes }: SharedBudget): ApiError {
  return new ApiError(
    'SERVICE_UNAVAILABLE',
    `Request bodies without a credential currently use ${limitBytes} bytes, which is the maximum.`,
  );
}
