/**
 * Kind `scripted`: gateways in front of all services in this process, on a clock that the test moves. The
 * test plays the splitter. Every response is checked against /openapi.json.
 */

import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { testKeysOf } from '@audiosplit/chassis/testing/identities';
import { DEFAULT_BOUNDS } from '@audiosplit/gateway/bounds/bound-settings';
import { DEFAULT_JWT_AUDIENCE, DEFAULT_JWT_ISSUER, type GatewayConfig } from '@audiosplit/gateway/config';
import { type ConsolePages, readConsolePages } from '@audiosplit/gateway/console/pages';
import type { StripePage } from '@audiosplit/gateway/console/stripe-page';
import { createMemoryRateLimiter } from '@audiosplit/gateway/rate-limit/memory';
import type { RateLimiter } from '@audiosplit/gateway/rate-limit/rate-limiter';
import { startGateway } from '@audiosplit/gateway/service';
import { OutputFormat } from '@audiosplit/proto/jobs/v1/jobs';
import { checkedFetch, descriptionCheckOf } from '../accounts/checked-fetch.ts';
import { accountOpener } from '../accounts/limits.ts';
import { type Answer, raw } from '../accounts/raw.ts';
import { type ScriptedServicesOptions, startScriptedServices } from './scripted-services.ts';

export type ScriptedInstallation = Awaited<ReturnType<typeof startScripted>>;
export type Holder = Awaited<ReturnType<ScriptedInstallation['register']>>;

export const DAY_MS = 86_400_000;
export const aSplit = {
  sourceUrl: 'https://example.com/talk.mp3',
  splitMode: 'duration',
  segmentDuration: 60,
} as const;
export const aConnection = (name: string) => ({
  name,
  type: 's3',
  endpoint: 'https://s3.example.org',
  region: 'us-east-1',
  bucket: 'audio',
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'a-secret-that-is-never-read',
});

export interface GatewayOptions {
  /** By default every caller may send all requests of a test. */
  readonly limiter?: RateLimiter;
  readonly jwt?: GatewayConfig['jwt'];
  /** The pages that browsers get at `/`; by default none. */
  readonly pages?: ConsolePages | 'built' | undefined;
  readonly stripe?: StripePage;
}

export interface ScriptedOptions extends ScriptedServicesOptions, GatewayOptions {
  readonly kind: 'scripted';
  /** Counts requests against each plan's limit. */
  readonly isLimited?: boolean;
}

const OWN_JWT = { issuer: DEFAULT_JWT_ISSUER, audience: DEFAULT_JWT_AUDIENCE };

export async function startScripted(options: ScriptedOptions) {
  await using starting = new AsyncDisposableStack();
  const services = starting.use(await startScriptedServices(options));
  const { context, store, leases } = services;
  const counting = starting.use(createMemoryRateLimiter(context.clock));
  const unlimited: RateLimiter = {
    ...counting,
    take: (bucket) => counting.take(bucket, 1e6),
    look: (bucket) => counting.look(bucket, 1e6),
  };
  const gateways = starting.use(new AsyncDisposableStack());
  /** Another gateway of the installation; ends with it. */
  async function addGateway(more: GatewayOptions = {}): Promise<{ readonly url: string }> {
    const { limiter = options.isLimited ? counting : unlimited, jwt = OWN_JWT } = more;
    const pages = more.pages === 'built' ? await readConsolePages() : more.pages;
    const { downloadSecret } = services;
    const config = {
      host: '127.0.0.1',
      port: 0,
      downloadSecret,
      jwt,
      trustProxy: [],
      bounds: DEFAULT_BOUNDS,
      ...(more.stripe === undefined ? {} : { stripe: more.stripe }),
    };
    return gateways.use(await startGateway(config, { ...context, limiter, store, pages }));
  }
  const { url } = await addGateway(options);
  const running = starting.move();

  /** `METHOD /path` below /api/v1. */
  async function call(target: string, headers: Record<string, string>, body?: unknown): Promise<Answer> {
    const answer = await raw(url, target.replace(' ', ' /api/v1') as `${string} ${string}`, {
      headers,
      body,
      check: await descriptionCheckOf(url),
    });
    assert.ok(answer.headers.get('x-request-id'), 'X-Request-Id');
    if (answer.body !== undefined)
      assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
    return answer;
  }

  const openAccountHere = accountOpener(() => url, {
    defaults: { fetch: checkedFetch(url) },
    billing: () => context.addressOf('billing'),
    keys: testKeysOf('operator'),
    gatewayUrls: () => [],
  });

  /** An account whose responses are checked as they arrive. */
  async function register() {
    const account = await openAccountHere();
    const { id: accountId, apiKey } = account;
    const withToken = (target: string, body?: unknown, headers: Record<string, string> = {}) =>
      call(target, { authorization: `Bearer ${account.accessToken()}`, ...headers }, body);
    return {
      accountId,
      apiKey,
      createdKey: account.createdKey,
      withToken,
      withKey: (target: string, body?: unknown, headers: Record<string, string> = {}) =>
        call(target, { 'x-api-key': apiKey, ...headers }, body),
      async create(request: object = aSplit): Promise<string> {
        const job = await call('POST /splits', { 'x-api-key': apiKey }, request);
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
    const { fence } = await leases.claimJob({ jobId, workerId: 'worker', sendsSourceHeaders: true });
    // As soon as the length is known; before that, other jobs of the account may wait for its minutes.
    await leases.reserveMinutes({ jobId, fence, neededMs: 90_600n });
    return { jobId, fence };
  }

  /** Completes a job whose source was cut into two segments; by default one of 90.6 s, after a minute. */
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
    url,
    addGateway,
    call,
    /** The gateway's description of its API, /openapi.json. */
    description: async <T>() => (await (await fetch(`${url}/openapi.json`)).json()) as T,
    openAccount: openAccountHere,
    register,
    claim,
    finish,
    complete: async (jobId: string) => finish(await claim(jobId)),
    async fail(
      jobId: string,
      error = { code: 'SOURCE_TIMEOUT', message: 'No bytes for 30 s.' },
    ): Promise<void> {
      await leases.failJob({ ...(await claim(jobId)), error, retryable: false });
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
