/** Translates S3's responses and errors to the port's, and bounds them in time. */
import { S3ServiceException } from '@aws-sdk/client-s3';
import { UnavailableError } from '../errors.ts';
import { isNetworkError } from '../net/network-errors.ts';
import { MultipartNotFoundError, ObjectNotFoundError } from './object-store.ts';

/** The body of a response may take longer than its beginning. */
export async function answerInTime<T>(
  timeoutMs: number,
  request: (signal: AbortSignal) => Promise<T>,
  key?: string,
): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeoutMs);
  try {
    return await request(late.signal);
  } catch (error) {
    throw explain(key, late.signal.aborted ? new UnavailableError(error) : error);
  } finally {
    clearTimeout(timer);
  }
}

/** Translates the error to one of the port, if there is a counterpart. */
export function explain(key: string | undefined, error: unknown): unknown {
  if (isNetworkError(error) || (error instanceof Error && error.name === 'TimeoutError')) {
    return new UnavailableError(error);
  }
  if (!(error instanceof S3ServiceException)) return error;
  const status = error.$metadata.httpStatusCode ?? 0;
  if (status >= 500 || status === 429) return new UnavailableError(error);
  if (key === undefined) return error;
  if (error.name === 'NoSuchUpload' || error.name === 'InvalidPart')
    return new MultipartNotFoundError(key, error);
  if (error.name === 'NoSuchKey' || (error.name === 'NotFound' && status === 404)) {
    return new ObjectNotFoundError(key);
  }
  return status === 416 ? new RangeError(`the range does not lie within ${JSON.stringify(key)}`) : error;
}
