/** Shared by the tests of fetching: an egress to this machine, and errors as callers see them. */
import { createGuardedEgress } from '@audiosplit/chassis/egress/guarded-egress';
import type { FetchOptions } from './fetch-source.ts';
import { SourceError, type SourceFailure } from './source-error.ts';

export const createEgress = () => createGuardedEgress({ allowCidrs: ['127.0.0.0/8'], allowUrlPrefixes: [] });

export const QUICK = { resumeDelayMs: 1, retryDelayMs: 1 };
export const OPTIONS: FetchOptions = {
  maxBytes: 10_000_000,
  signal: new AbortController().signal,
  limits: QUICK,
};

export const failsWith = (failure: SourceFailure, retryable: boolean, message?: RegExp) => (error: unknown) =>
  error instanceof SourceError &&
  error.failure === failure &&
  error.retryable === retryable &&
  (message === undefined || message.test(error.message));

export async function readAll(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(body));
}
