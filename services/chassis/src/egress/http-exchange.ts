import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { Client, type Dispatcher, errors } from 'undici';
import { EgressError, type EgressRequest, type EgressResponse } from './egress.ts';
import type { EgressTarget } from './egress-url.ts';
import { createResponseBody, type ResponseBody } from './response-body.ts';

/** A response. `finished` resolves when its connection is no longer needed, and never rejects. */
export interface Exchange {
  readonly response: EgressResponse;
  readonly finished: Promise<void>;
}

export interface ExchangeOptions
  extends Pick<EgressRequest, 'method' | 'body' | 'idleTimeoutMs' | 'maxBodyBytes'> {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/**
 * One HTTP/1.1 request over a connection of its own. The connection closes after the last byte, when the body
 * is destroyed, or when the signal aborts; the signal's reason becomes the error, also of the body. Throws
 * EgressError `connection-lost`, or the signal's reason.
 */
export function exchangeHttp(
  socket: Socket,
  target: EgressTarget,
  { method, body: requestBody, headers, signal, idleTimeoutMs, maxBodyBytes }: ExchangeOptions,
): Promise<Exchange> {
  const client = new Client(target.url.origin, {
    connect: handOver(socket),
    allowH2: false,
    useMilo: false,
    // 0 turns keep-alive off. response-body.ts and the signal replace the two timeouts.
    pipelining: 0,
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  return new Promise((resolve, reject) => {
    let body: ResponseBody | undefined;
    const { promise: finished, resolve: markFinished } = Promise.withResolvers<void>();
    const finish = () => {
      signal.removeEventListener('abort', onAbort);
      socket.destroy();
      void client.destroy().then(markFinished, markFinished);
    };
    const fail = (error: unknown) => {
      if (body !== undefined) {
        body.stream.destroy(error instanceof Error ? error : new Error(String(error)));
        return;
      }
      finish();
      reject(error);
    };
    const onAbort = () => fail(signal.reason);
    if (signal.aborted) {
      fail(signal.reason);
      return;
    }
    signal.addEventListener('abort', onAbort, { once: true });

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart() {},
      onResponseStart(controller, status, responseHeaders) {
        if (status < 200) return;
        const flatHeaders = flatten(responseHeaders);
        body = createResponseBody(
          { pause: () => controller.pause(), resume: () => controller.resume(), finish },
          {
            maxBodyBytes,
            declaredBytes: method === 'HEAD' ? Number.NaN : Number(flatHeaders['content-length']),
            idleTimeoutMs,
          },
        );
        const response = { status, headers: flatHeaders, url: target.url.href, body: body.stream };
        resolve({ response, finished });
      },
      onResponseData: (_controller, chunk) => body?.receive(chunk),
      onResponseEnd: () => body?.end(),
      onResponseError: (_controller, error) => fail(toEgressError(error, target)),
    };
    const { pathname, search } = target.url;
    client.dispatch(
      {
        path: pathname + search,
        method,
        headers: { ...headers, 'accept-encoding': 'identity' },
        ...(requestBody === undefined ? {} : { body: Buffer.from(requestBody) }),
      },
      handler,
    );
  });
}

/** Gives undici the dialled socket once; a second connection would go to an unchecked address. */
function handOver(socket: Socket): NonNullable<Client.Options['connect']> {
  let isGiven = false;
  return (_options, callback) => {
    const isSpent = isGiven;
    isGiven = true;
    // undici calls this while it is still starting the connection, and expects the callback later.
    setImmediate(() => {
      if (isSpent) callback(new Error('The connection is gone.'), null);
      else callback(null, socket);
    });
  };
}

function flatten(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}

function toEgressError(cause: Error, target: EgressTarget): Error {
  // Our own caller passed an invalid header: report it as a bug, not as a network failure.
  if (cause instanceof errors.InvalidArgumentError) return cause;
  const what =
    cause instanceof errors.HTTPParserError || cause instanceof errors.HeadersOverflowError
      ? 'did not answer in valid HTTP/1.1'
      : 'closed the connection before the end of its response';
  return new EgressError('connection-lost', `${target.hostname} ${what}.`, { cause });
}
