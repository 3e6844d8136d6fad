/**
 * Sends an object or a part of a known length to S3 as it arrives, in one request, without holding it in
 * memory. The parts of a multipart upload have at least 5 MiB, so many slow uploads would fill the memory.
 */
import { PassThrough, pipeline, type Readable, Transform } from 'node:stream';

/** Buffers of the streams in between. */
export const STREAM_MEMORY_BYTES = 256 * 1024;
/** S3's maximum for one request, without a margin. */
const MAX_STREAMED_BYTES = 5 * 1024 ** 3;

export function isStreamed(sizeBytes: number | undefined): sizeBytes is number {
  return sizeBytes !== undefined && sizeBytes <= MAX_STREAMED_BYTES;
}

interface Streamed {
  readonly Body: Readable;
  readonly ContentLength: number;
}

interface SendOptions {
  readonly abortSignal: AbortSignal;
  readonly requestTimeout: number;
}

/**
 * Rejects with the body's error if the body fails or has another length; the server then drops the bytes it
 * has received.
 */
export async function putStreamed<T>(
  body: Readable,
  sizeBytes: number,
  send: (streamed: Streamed, options: SendOptions) => Promise<T>,
): Promise<T> {
  const exact = exactLength(sizeBytes);
  // The client handles no error of a body, and would wait for the rest of it. The stream it receives
  // therefore never fails.
  const sent = exact.pipe(new PassThrough());
  const broken = new AbortController();
  pipeline(body, exact, (error) => {
    if (error) broken.abort(error);
  });
  try {
    // Not bounded in time: the sender sets the pace. The client's idle timeout bounds a server that reads
    // nothing.
    return await send(
      { Body: sent, ContentLength: sizeBytes },
      { abortSignal: broken.signal, requestTimeout: 0 },
    );
  } catch (error) {
    throw broken.signal.aborted ? broken.signal.reason : error;
  } finally {
    exact.destroy();
    sent.destroy();
  }
}

function exactLength(sizeBytes: number): Transform {
  let seenBytes = 0;
  const wrongLength = () =>
    new RangeError(`the body does not have the ${sizeBytes} bytes that were announced`);
  return new Transform({
    transform(chunk: Buffer | string, _encoding, done) {
      seenBytes += Buffer.byteLength(chunk);
      done(seenBytes > sizeBytes ? wrongLength() : null, chunk);
    },
    flush: (done) => done(seenBytes < sizeBytes ? wrongLength() : null),
  });
}
