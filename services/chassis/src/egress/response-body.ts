import { Readable } from 'node:stream';
import { EgressError } from './egress.ts';

/** The connection that feeds a body. */
interface BodyFeed {
  pause(): void;
  resume(): void;
  /** Called once: all bytes have arrived, or the body was destroyed. */
  finish(): void;
}

interface BodyLimits {
  readonly maxBodyBytes: number;
  /** Content-Length; NaN when the response has none. */
  readonly declaredBytes: number;
  readonly idleTimeoutMs: number;
}

export interface ResponseBody {
  readonly stream: Readable;
  receive(chunk: Uint8Array): void;
  end(): void;
}

/**
 * A body that is read from the connection only as fast as its reader reads. The idle timer runs only while
 * the reader waits, so a slow reader is never mistaken for a slow server. An unread body holds its connection
 * until it is destroyed or the request's total timeout ends.
 */
export function createResponseBody(feed: BodyFeed, limits: BodyLimits): ResponseBody {
  let receivedBytes = 0;
  let idleTimer: NodeJS.Timeout | undefined;
  let isFinished = false;

  const stream = new Readable({
    read() {
      if (isFinished) return;
      if (limits.declaredBytes > limits.maxBodyBytes) {
        stream.destroy(tooLarge(`The response declares ${limits.declaredBytes} bytes`, limits));
        return;
      }
      idleTimer ??= setTimeout(onIdle, limits.idleTimeoutMs);
      feed.resume();
    },
    destroy(error, callback) {
      finish();
      callback(error);
    },
  });
  // The reader gets the error from the iterator. A body that is dropped unread must not end the process.
  stream.on('error', () => {});
  feed.pause();

  function onIdle(): void {
    stream.destroy(
      new EgressError('timeout', `The server sent nothing for ${limits.idleTimeoutMs / 1000} s.`),
    );
  }

  function stopIdleTimer(): void {
    clearTimeout(idleTimer);
    idleTimer = undefined;
  }

  function finish(): void {
    if (isFinished) return;
    isFinished = true;
    stopIdleTimer();
    feed.finish();
  }

  return {
    stream,
    receive(chunk) {
      if (stream.destroyed) return;
      receivedBytes += chunk.byteLength;
      if (receivedBytes > limits.maxBodyBytes) {
        stream.destroy(tooLarge('The response goes on', limits));
        return;
      }
      idleTimer?.refresh();
      if (!stream.push(chunk)) {
        stopIdleTimer();
        feed.pause();
      }
    },
    end() {
      stream.push(null);
      finish();
    },
  };
}

function tooLarge(what: string, limits: BodyLimits): EgressError {
  return new EgressError('too-large', `${what}, past the ${limits.maxBodyBytes} bytes that are accepted.`);
}
