/**
 * A Transport for calls inside the installation: the Connect unary protocol
 * (https://connectrpc.com/docs/protocol) with binary messages in HTTP/1.1 POST requests over a pool of kept
 * connections. It is compatible with Connect's stock clients and servers; docs/decisions/0028 explains why it
 * exists. Streaming methods use the stock transport.
 *
 * Failure modes:
 * - A request that was never written (no address, connection refused) is retried for a moment, as the server
 *   may be restarting.
 * - A connection that ends without a response fails the call as `unavailable`. The server may have done the
 *   work, so the request is sent again only if the method's idempotency_level allows it.
 * - A call that is canceled, or reaches its deadline, closes its connection, which notifies the server. If it
 *   still waits for a connection, nothing is sent.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { toBinary } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel as IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, type Transport, type UnaryRequest } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { type Dispatcher, Pool } from 'undici';
import { readAnswer } from './answer.ts';
import { exchange, FailedExchange, type WireRequest, type WireResponse } from './exchange.ts';
import { tooLarge } from './methods.ts';
import { createUnaryCall, type UnaryCallOptions } from './unary.ts';

interface LeanTransportOptions extends UnaryCallOptions {
  /** Maximum size of one message, either way; a larger one fails as `resource_exhausted`. */
  readonly maxMessageBytes: number;
  /** From openConnectionPool; transports to one address may share it. */
  readonly pool: Dispatcher;
}

/**
 * More than the calls that one process has in flight to a service: a method that hangs must not block others.
 */
const MAX_CONNECTIONS = 600;
/** A draining server serves longer than that, so it finds no idle connection when it closes. */
const KEEP_ALIVE_TIMEOUT_MS = 1_000;
const CONNECT_TIMEOUT_MS = 2_000;
/** Long enough for a listening socket that is about to return, short enough to fail soon if it does not. */
const RETRY_PAUSES_MS = [20, 80, 300];

/** Connections to one address. They do not keep the process alive, and close by themselves when idle. */
export function openConnectionPool(baseUrl: string): Dispatcher {
  return new Pool(new URL(baseUrl).origin, {
    connections: MAX_CONNECTIONS,
    pipelining: 1,
    connect: { timeout: CONNECT_TIMEOUT_MS },
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_TIMEOUT_MS,
    // Each call's deadline is its timeout.
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
  });
}

export function createLeanTransport(options: LeanTransportOptions): Transport {
  const { baseUrl, interceptors, defaultTimeoutMs, maxMessageBytes, pool } = options;
  const prefix = new URL(baseUrl).pathname.replace(/\/$/, '');

  const send = async ({ method, message, header, signal }: UnaryRequest) => {
    const body = toBinary(method.input, message);
    if (body.byteLength > maxMessageBytes) throw tooLarge(body.byteLength, maxMessageBytes);
    const headers: string[] = [];
    for (const [name, value] of header) headers.push(name, value);
    const path = `${prefix}/${method.parent.typeName}/${method.name}`;
    const request = { path, headers, body, signal, maxResponseBytes: maxMessageBytes };
    const isRepeatable = method.idempotency !== IdempotencyLevel.IDEMPOTENCY_UNKNOWN;
    return readAnswer(method, await exchangeWithRetries(pool, request, isRepeatable));
  };
  let streaming: Transport | undefined;

  return {
    unary: createUnaryCall({ ...options, baseUrl: baseUrl.replace(/\/$/, '') }, send),
    stream(...call) {
      streaming ??= createGrpcTransport({
        baseUrl,
        interceptors: [...interceptors],
        defaultTimeoutMs,
        readMaxBytes: maxMessageBytes,
        writeMaxBytes: maxMessageBytes,
      });
      return streaming.stream(...call);
    },
  };
}

async function exchangeWithRetries(
  pool: Dispatcher,
  request: WireRequest,
  isRepeatable: boolean,
): Promise<WireResponse> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await exchange(pool, request);
    } catch (error) {
      if (!(error instanceof FailedExchange)) throw error;
      const pauseMs = RETRY_PAUSES_MS[attempt];
      const isHarmless = error.kind === 'notSent' || isRepeatable;
      if (pauseMs === undefined || !isHarmless) {
        throw new ConnectError(error.message, Code.Unavailable, undefined, undefined, error.cause);
      }
      await sleep(pauseMs, undefined, { signal: request.signal });
    }
  }
}
