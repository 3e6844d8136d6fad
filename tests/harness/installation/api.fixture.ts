/**
 * The API as callers have it: a gateway before all services, on a clock that the test moves. The test plays the splitter.
 * Every answer is held against /openapi.json.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { DEFAULT_JWT_AUDIENCE, DEFAULT_JWT_ISSUER } from '@audiosplit/gateway/config';
import type { ConsolePages } from '@audiosplit/gateway/console/pages';
import { createMemoryRateLimiter } from '@audiosplit/gateway/rate-limit/memory';
import { startGateway } from '@audiosplit/gateway/service';
import { createDescriptionCheck } from '@audiosplit/gateway/testing/description-check';
import { readJson } from '@audiosplit/gateway/testing/read-json';
import { OutputFormat } from '@audiosplit/proto/jobs/v1/jobs';
import { startAllServices } from './all-services.fixture.ts';

export type Api = Awaited<ReturnType<typeof startApi>>;
export type Holder = Awaited<ReturnType<Api['register']>>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Undefined without one. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it as they please
  readonly body: any;
}

export const DAY_MS = 86_400_000;
export const aSplit = {
  sourceUrl: 'https://example.com/talk.mp3',
  splitMode: 'duration',
  segmentDuration: 60,
} as const;

export interface ApiOptions {
  /** Counts requests against each plan's figure; otherwise there is room for all that a test asks. */
  readonly isLimited?: boolean;
  /** What browsers get at `/`. */
  readonly pages?: ConsolePages | undefined;
}

export async function startApi({ isLimited = false, pages }: ApiOptions = {}) {
  await using starting = new AsyncDisposableStack();
  const services = starting.use(await startAllServices());
  const { context, store, leases } = services;
  const counting = starting.use(createMemoryRateLimiter(context.clock));
  const limiter = isLimited
    ? counting
    : { ...counting, take: (bucket: string) => counting.take(bucket, 1e6) };
  const config = {
    host: '127.0.0.1',
    port: 0,
    downloadSecret: services.downloadSecret,
    jwt: { issuer: DEFAULT_JWT_ISSUER, audience: DEFAULT_JWT_AUDIENCE },
    trustProxy: [],
  };
  const gateway = starting.use(await startGateway(config, { ...context, limiter, store, pages }));
  const check = createDescriptionCheck(await readJson(await fetch(`${gateway.url}/openapi.json`)));
  const running = starting.move();

  async function call(target: string, headers: Record<string, string>, body?: unknown): Promise<Answer> {
    const [method = '', path = ''] = target.split(' ');
    const url = new URL(`/api/v1${path}`, gateway.url);
    const response = await fetch(url, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    await check(method, url, response);
    assert.ok(response.headers.get('x-request-id'), 'X-Request-Id');
    const text = await response.text();
    if (text !== '') assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
  }

  /** An account with an API key of all scopes. */
  async function register() {
    const credentials = { email: `ada-${randomUUID()}@example.com`, password: 'correct horse battery' };
    const registered = await call('POST /auth/register', {}, credentials);
    assert.equal(registered.status, 201, JSON.stringify(registered.body));
    const { account, accessToken } = registered.body;
    const withToken = (target: string, body?: unknown, headers: Record<string, string> = {}) =>
      call(target, { authorization: `Bearer ${accessToken}`, ...headers }, body);
    const created = await withToken('POST /api-keys', { name: 'Contract' });
    assert.equal(created.status, 201, JSON.stringify(created.body));
    const apiKey: string = created.body.key;
    return {
      accountId: account.id as string,
      apiKey,
      createdKey: created.body,
      withToken,
      withKey: (target: string, body?: unknown, headers: Record<string, string> = {}) =>
        call(target, { 'x-api-key': apiKey, ...headers }, body),
      async create(wish: object = aSplit): Promise<string> {
        const job = await call('POST /splits', { 'x-api-key': apiKey }, wish);
        assert.equal(job.status, 201, JSON.stringify(job.body));
        return job.body.id;
      },
      async subscribe(planId: string) {
        await withToken('PUT /billing/payment-method', { token: 'tok_visa' });
        const subscribed = await withToken('POST /billing/subscribe', { planId });
        assert.equal(subscribed.status, 201, JSON.stringify(subscribed.body));
        return subscribed.body.subscription;
      },
    };
  }

  async function claim(jobId: string) {
    const { fence } = await leases.claimJob({ jobId, workerId: 'worker' });
    return { jobId, fence };
  }

  /** As a splitter does that has cut a source in two: one of 90.6 s after a minute by default. */
  async function finish(
    claimed: Awaited<ReturnType<typeof claim>>,
    { cutMs, endMs } = { cutMs: 60_000, endMs: 90_600 },
  ): Promise<void> {
    const { jobId, fence } = claimed;
    const files = ['first segment', 'second'];
    const objectKey = (index: number) => `jobs/${jobId}/${fence}/${index}.mp3`;
    for (const [index, file] of files.entries()) {
      await store.put(objectKey(index), Readable.from([Buffer.from(file)]), { contentType: 'audio/mpeg' });
    }
    await leases.completeJob({
      ...claimed,
      outputFormat: OutputFormat.MP3,
      sourceFileName: 'talk.mp3',
      sourceDurationMs: BigInt(endMs),
      sourceSizeBytes: 1_000n,
      segments: files.map((file, index) => ({
        index,
        objectKey: objectKey(index),
        fileName: `talk-${index}.mp3`,
        contentType: 'audio/mpeg',
        startMs: BigInt(index * cutMs),
        durationMs: BigInt(index === 0 ? cutMs : endMs - cutMs),
        sizeBytes: BigInt(Buffer.byteLength(file)),
      })),
    });
  }

  return {
    ...services,
    url: gateway.url,
    call,
    register,
    claim,
    finish,
    complete: async (jobId: string) => finish(await claim(jobId)),
    async fail(
      jobId: string,
      error = { code: 'SOURCE_TIMEOUT', message: 'The source was silent for 30 s.' },
    ): Promise<void> {
      await leases.failJob({ ...(await claim(jobId)), error, retryable: false });
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
