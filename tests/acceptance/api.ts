/**
 * Calls to a product. Well-formed requests use the published client, and every response is checked against
 * the product's own description. `call` is for requests that the client would not send and responses that it
 * does not expose.
 */
import assert from 'node:assert/strict';
import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@audiosplit/chassis/testing/until';
import {
  type Audiosplit,
  AudiosplitError,
  type CompletedJob,
  createAudiosplit,
  type Job,
  type QueuedJob,
  type ResponseInfo,
  type Session,
  type SplitRequest,
} from '@audiosplit/client';
import { checkedFetch } from '../harness/accounts/checked-fetch.ts';
import {
  type Account,
  type AccountOptions,
  newEmail,
  openAccount,
  PASSWORD,
} from '../harness/accounts/open-account.ts';
import { type Answer, type Credential, type RawInit, raw } from '../harness/accounts/raw.ts';
import type { Product } from '../harness/installation/as-a-user/product.ts';

export interface ErrorBody {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly status: number;
    readonly retryAfter?: number;
    readonly details?: readonly { readonly field: string; readonly message: string }[];
  };
}

/** The published client, but without retries: tests need the first response. */
export function connect({ baseUrl, headers }: Product, credential: Credential = {}): Audiosplit {
  const fetch = checkedFetch(baseUrl, headers);
  return createAudiosplit({ baseUrl, ...credential, retries: { maxRetries: 0 }, fetch });
}

/** Registers a Free account without a key; returns its session, and a client that uses it. */
export async function register(product: Product): Promise<Session & { readonly client: Audiosplit }> {
  const session = await connect(product).register({ email: newEmail(), password: PASSWORD, name: 'Ada' });
  return { ...session, client: connect(product, { accessToken: session.accessToken }) };
}

/** Registers a Free account with a key; all scopes by default. */
export function registerWithKey(
  { baseUrl, headers }: Product,
  options: Pick<AccountOptions, 'scopes' | 'plan'> = {},
): Promise<Account> {
  return openAccount(baseUrl, { name: 'Ada', fetch: checkedFetch(baseUrl, headers), ...options });
}

/** Asserts that the client's call fails with this status and code. */
export async function assertRefuses(
  answered: Promise<unknown>,
  status: number,
  code: AudiosplitError['code'],
): Promise<AudiosplitError> {
  const error = await answered.then(
    (answer) => assert.fail(`answered instead of ${code}: ${JSON.stringify(answer)}`),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof AudiosplitError)) throw error;
  assert.deepEqual([error.status, error.code], [status, code], error.message);
  assert.ok(error.message.length > 0);
  assert.ok(error.requestId, 'X-Request-Id');
  return error;
}

/**
 * `target` is `METHOD /path`, below the product's address. A string is sent unchanged, anything else as JSON.
 */
export function call<T = ErrorBody>(
  { baseUrl, headers }: Product,
  target: `${string} /${string}`,
  init?: RawInit,
): Promise<Answer<T>> {
  return raw<T>(baseUrl, target, { ...init, headers: { ...headers, ...init?.headers } });
}

export function assertStatus<T>(answer: Answer<T>, status: number): T {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  return answer.body;
}

/** Asserts that the body is exactly the error envelope. */
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

/** Uses the key of the product's own account. */
export const clientOf = (product: Product) => connect(product, { apiKey: product.apiKey });

export function createJob(product: Product, request: SplitRequest): Promise<QueuedJob> {
  return clientOf(product).createSplit(request);
}

/** Polls often, for states that pass quickly. */
export async function awaitStatus(
  product: Product,
  id: string,
  statuses: readonly Job['status'][],
  timeoutMs = 60_000,
): Promise<Job> {
  const client = clientOf(product);
  let job = await client.getSplit(id);
  const isReached = async () => {
    if (statuses.includes(job.status)) return true;
    await sleep(200);
    job = await client.getSplit(id);
    return false;
  };
  await until(isReached, `${id} is ${statuses.join(' or ')}`, timeoutMs);
  return job;
}

export async function completeJob(product: Product, id: string, timeoutMs = 60_000): Promise<CompletedJob> {
  const signal = AbortSignal.timeout(timeoutMs);
  const job = await clientOf(product).waitForJob(id, { signal });
  assert.ok(job.sourceDuration !== undefined && job.sourceSize !== undefined);
  return job;
}

/** Uploads a file; returns its `sourceUrl`. */
export async function uploadFile(product: Product, path: string): Promise<string> {
  return clientOf(product).uploadSource(await openAsBlob(path), { fileName: basename(path) });
}

/** Downloads a signed link. */
export async function download(url = ''): Promise<Buffer> {
  const response = await fetch(url);
  assert.equal(response.status, 200);
  return Buffer.from(await response.arrayBuffer());
}

/** The lines of an output without those of npm. */
export const linesOfProduct = (output: string) =>
  output.split('\n').filter((line) => line !== '' && !line.startsWith('npm '));

/** A request that cuts the bundled audio by duration. */
export const sampleBy = (product: Product, segmentDuration: number) =>
  ({ sourceUrl: sampleUrl(product), splitMode: 'duration', segmentDuration }) as const;

export const sampleUrl = ({ samplesUrl }: Product) => `${samplesUrl}tour.mp3`;
