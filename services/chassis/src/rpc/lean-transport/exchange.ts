/**
 * One request and its complete response over undici's lowest interface: without streaming, without retries.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { Code, ConnectError } from '@connectrpc/connect';
import type { Dispatcher } from 'undici';
import { messageOf } from '../../errors.ts';

export interface WireRequest {
  readonly path: string;
  /** Name, value, name, value. */
  readonly headers: string[];
  readonly body: Uint8Array;
  readonly maxResponseBytes: number;
  readonly signal: AbortSignal;
}

export interface WireResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}

/**
 * The caller sees `unavailable` for both kinds. Not a ConnectError yet, because ConnectErrors are recognised
 * by name. For a call that was `notSent`, no byte has left; the server may have executed a `lost` one.
 */
export class FailedExchange extends Error {
  readonly kind: 'notSent' | 'lost';

  constructor(kind: FailedExchange['kind'], cause: Error) {
    const what = kind === 'notSent' ? 'the service cannot be reached' : 'the connection broke';
    super(`${what}: ${messageOf(cause)}`, { cause });
    this.kind = kind;
  }
}

/**
 * Rejects with the signal's reason as soon as it aborts, with FailedExchange, or with ConnectError
 * `resource_exhausted` for a response that is too large.
 */
export function exchange(pool: Dispatcher, request: WireRequest): Promise<WireResponse> {
  const { path, headers, body, maxResponseBytes, signal } = request;
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let status = 0;
    let answerHeaders: IncomingHttpHeaders = {};
    const chunks: Buffer[] = [];
    let receivedBytes = 0;
    const abort = () => {
      controller?.abort(signal.reason);
      reject(signal.reason);
    };
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });

    pool.dispatch(
      { path, method: 'POST', headers, body },
      {
        // Called directly before the first byte is written; throwing here prevents it.
        onRequestStart(started) {
          signal.throwIfAborted();
          controller = started;
        },
        onResponseStart(_controller, statusCode, received) {
          status = statusCode;
          answerHeaders = received;
        },
        onResponseData(started, chunk) {
          receivedBytes += chunk.length;
          if (receivedBytes > maxResponseBytes) return started.abort(tooLarge(maxResponseBytes));
          chunks.push(chunk);
        },
        onResponseEnd() {
          signal.removeEventListener('abort', abort);
          const [first] = chunks;
          const whole = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
          resolve({ status, headers: answerHeaders, body: whole });
        },
        onResponseError(_controller, error) {
          signal.removeEventListener('abort', abort);
          if (error instanceof ConnectError) return reject(error);
          reject(new FailedExchange(controller === undefined ? 'notSent' : 'lost', error));
        },
      },
    );
  });
}

function tooLarge(maxBytes: number): ConnectError {
  return new ConnectError(`the answer has more than ${maxBytes} bytes`, Code.ResourceExhausted);
}
