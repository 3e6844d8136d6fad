import { pipeline, type Readable, Transform } from 'node:stream';
import { formatBytes } from '@audiosplit/chassis/format-bytes';
import { ApiError } from '../http/errors/api-error.ts';

/** Passes `body` on. Fails with FILE_TOO_LARGE past `maxBytes` and with INVALID_PARAMS if it is empty. */
export function boundedBody(body: Readable, maxBytes: number): Readable {
  let seenBytes = 0;
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seenBytes += chunk.length;
      if (seenBytes > maxBytes) done(fileTooLarge(maxBytes));
      else done(null, chunk);
    },
    flush: (done) => done(seenBytes === 0 ? emptyFile() : null),
  });
  // Errors reach the reader of the returned stream.
  return pipeline(body, counter, () => undefined);
}

export function fileTooLarge(maxBytes: number): ApiError {
  return new ApiError('FILE_TOO_LARGE', `Your plan takes files of up to ${formatBytes(maxBytes)}.`);
}

export function emptyFile(): ApiError {
  return new ApiError('INVALID_PARAMS', 'Send the file as the body of the request.');
}
