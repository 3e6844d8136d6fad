/**
 * Calls to a product. What is well-formed goes through the client that its users have, and every answer is held against
 * the product's own description. `call` is for the rest: what the client would not send, and what it does not show.
 */
import assert from 'node:assert/strict';
import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Audiosplit,
  AudiosplitError,
  type CompletedJob,
  createAudiosplit,
  type Job,
  type QueuedJob,
  type ResponseInfo,
  type SplitRequest,
} from '@audiosplit/client';
import { checkedFetch } from '../accounts/checked-fetch.ts';
import { type Answer, type Credential, type RawInit, raw } from '../accounts/raw.ts';
import type { Product } from './running-product.ts';

export type { Job, Segment, SplitRequest } from '@audiosplit/client';

export type { Answer, Credential } from '../accounts/raw.ts';

export interface Page<T> {
  readonly data: readonly T[];
  readonly pagination: { page: number; limit: number; total: number; totalPages: number };
}

export interface ErrorBody {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly status: number;
    readonly retryAfter?: number;
    readonly details?: readonly { readonly field: string; readonly message: string }[];
  };
}

/** The client as its users have it, but it repeats nothing: tests want the first answer. */
export function connect({ baseUrl }: Pick<Product, 'baseUrl'>, credential: Credential = {}): Audiosplit {
  return createAudiosplit({
    baseUrl,
    ...credential,
    retries: { maxRetries: 0 },
    fetch: checkedFetch(baseUrl),
  });
}

/** That a call of the client is refused so. */
export async function assertRefuses(
  asked: Promise<unknown>,
  status: number,
  code: AudiosplitError['code'],
): Promise<AudiosplitError> {
  const error = await asked.then(
    (answer) => assert.fail(`answered instead of ${code}: ${JSON.stringify(answer)}`),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof AudiosplitError)) throw error;
  assert.deepEqual([error.status, error.code], [status, code], error.message);
  assert.ok(error.message.length > 0);
  assert.ok(error.requestId, 'X-Request-Id');
  return error;
}

/** `target` is `METHOD /path`, below the product's address. A string is sent as it stands, the rest as JSON. */
export function call<T = ErrorBody>(
  { baseUrl }: Pick<Product, 'baseUrl'>,
  target: `${string} /${string}`,
  init?: RawInit,
): Promise<Answer<T>> {
  return raw<T>(baseUrl, target, init);
}

export function assertStatus<T>(answer: Answer<T>, status: number): T {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  return answer.body;
}

/** The one envelope, and nothing beside it. */
export function assertRefused(answer: Answer<ErrorBody>, status: number, code: string): ErrorBody['error'] {
  const { error, ...rest } = assertStatus(answer, status);
  assert.deepEqual(rest, {});
  assert.equal(error.code, code);
  assert.equal(error.status, status);
  assert.ok(error.message.length > 0);
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
  assert.ok(answer.headers.get('x-request-id'), 'X-Request-Id');
  assert.equal('retryAfter' in error, code === 'RATE_LIMITED');
  return error;
}

export function assertRateLimitHeaders({ headers }: Pick<ResponseInfo, 'headers'>, limit?: number): void {
  const [max, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => {
    const value = headers.get(`x-ratelimit-${name}`) ?? '';
    assert.match(value, /^\d+$/, `X-RateLimit-${name}`);
    return Number(value);
  });
  assert.ok(max !== undefined && remaining !== undefined && reset !== undefined);
  if (limit !== undefined) assert.equal(max, limit);
  assert.ok(remaining < max || remaining === 0);
  const secondsToReset = reset - Date.now() / 1000;
  assert.ok(secondsToReset > -2 && secondsToReset <= 61, `resets in ${secondsToReset} s`);
}

const keyOf = ({ apiKey }: Product): Credential => ({ apiKey });

export function createJob(
  product: Product,
  request: SplitRequest,
  credential: Credential = keyOf(product),
): Promise<QueuedJob> {
  return connect(product, credential).createSplit(request);
}

export function readJob(product: Product, id: string, credential: Credential = keyOf(product)): Promise<Job> {
  return connect(product, credential).getSplit(id);
}

/** Looks often, for states that pass quickly. */
export async function awaitStatus(
  product: Product,
  id: string,
  statuses: readonly Job['status'][],
  timeoutMs = 60_000,
): Promise<Job> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const job = await readJob(product, id);
    if (statuses.includes(job.status)) return job;
    assert.ok(Date.now() < deadline, `after ${timeoutMs / 1000} s the job is ${JSON.stringify(job)}`);
    await sleep(200);
  }
}

export async function completeJob(product: Product, id: string, timeoutMs = 60_000) {
  const signal = AbortSignal.timeout(timeoutMs);
  const job: CompletedJob = await connect(product, keyOf(product)).waitForJob(id, { signal });
  const { sourceDuration, sourceSize } = job;
  assert.ok(sourceDuration !== undefined && sourceSize !== undefined);
  return { ...job, sourceDuration, sourceSize };
}

/** Returns what to give a job as its sourceUrl. */
export async function uploadFile(product: Product, path: string): Promise<string> {
  const client = connect(product, keyOf(product));
  return client.uploadSource(await openAsBlob(path), { fileName: basename(path) });
}

export const sampleUrl = ({ samplesUrl }: Product) => `${samplesUrl}tour.mp3`;
