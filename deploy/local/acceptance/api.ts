/** Plain HTTP calls to a product, and the assertions that hold for every answer. */
import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Product } from './product.ts';

export interface Answer<T> {
  readonly status: number;
  readonly headers: Headers;
  /** Undefined without a body. */
  readonly body: T;
}

export interface Credential {
  readonly apiKey?: string;
  readonly accessToken?: string;
}

export interface Segment {
  readonly index: number;
  readonly downloadUrl: string;
  readonly startTime: number;
  readonly duration: number;
  readonly size: number;
  readonly expiresAt: string;
}

/** A job in any of its states. */
export interface Job {
  readonly id: string;
  readonly status: 'queued' | 'processing' | 'completed' | 'failed';
  readonly progress?: number;
  readonly splitMode: 'duration' | 'fileSize';
  readonly segmentDuration?: number;
  readonly maxFileSize?: number;
  readonly outputFormat?: string;
  readonly webhookUrl?: string;
  readonly metadata?: Record<string, unknown>;
  readonly sourceFileName?: string;
  readonly sourceDuration?: number;
  readonly sourceSize?: number;
  readonly segments?: readonly Segment[];
  readonly segmentCount?: number | null;
  readonly error?: { readonly code: string; readonly message: string };
  readonly createdAt: string;
  readonly completedAt?: string | null;
}

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

/** `target` is `METHOD /path`, below the product's address. A string is sent as it stands, the rest as JSON. */
export async function call<T = ErrorBody>(
  { baseUrl }: Pick<Product, 'baseUrl'>,
  target: `${string} /${string}`,
  options: Credential & { readonly body?: unknown; readonly headers?: Record<string, string> } = {},
): Promise<Answer<T>> {
  const [method = '', path = ''] = target.split(' ');
  const { apiKey, accessToken, body, headers } = options;
  const response = await fetch(baseUrl + path, {
    method,
    headers: {
      ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
      ...(accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: (text === '' ? undefined : JSON.parse(text)) as T,
  };
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

export function assertRateLimitHeaders({ headers }: Answer<unknown>, limit?: number): void {
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

export async function createJob(
  product: Product,
  wish: Record<string, unknown>,
  credential: Credential = { apiKey: product.apiKey },
): Promise<Job> {
  return assertStatus(await call<Job>(product, 'POST /api/v1/splits', { ...credential, body: wish }), 201);
}

export async function readJob(
  product: Product,
  id: string,
  credential: Credential = { apiKey: product.apiKey },
): Promise<Job> {
  return assertStatus(await call<Job>(product, `GET /api/v1/splits/${id}`, credential), 200);
}

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

export async function completeJob(product: Product, id: string, timeoutMs?: number) {
  const job = await awaitStatus(product, id, ['completed', 'failed'], timeoutMs);
  assert.equal(job.status, 'completed', JSON.stringify(job.error));
  const { segments, sourceDuration, sourceSize } = job;
  assert.ok(segments !== undefined && sourceDuration !== undefined && sourceSize !== undefined);
  return { ...job, segments, sourceDuration, sourceSize };
}

/** Returns what to give a job as its sourceUrl. */
export async function uploadFile(product: Product, path: string): Promise<string> {
  const { apiKey } = product;
  const fileName = path.slice(path.lastIndexOf('/') + 1);
  const { uploadUrl, sourceUrl } = assertStatus(
    await call<{ uploadUrl: string; sourceUrl: string }>(product, 'POST /api/v1/uploads', {
      apiKey,
      body: { fileName },
    }),
    201,
  );
  const { size } = await stat(path);
  const response = await fetch(uploadUrl, {
    method: 'PUT',
    headers: { 'content-length': String(size) },
    body: createReadStream(path),
    duplex: 'half',
  });
  assert.equal(response.status, 204, await response.text());
  return sourceUrl;
}

export const sampleUrl = ({ baseUrl }: Product) => `${baseUrl}/samples/tour.mp3`;
