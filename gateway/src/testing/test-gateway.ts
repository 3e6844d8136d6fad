/**
 * A real gateway on a real port, with doubles for the services. Methods that a test does not define answer
 * `unimplemented`.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceError } from '@audiosplit/chassis/errors';
import { openFileObjectStore } from '@audiosplit/chassis/object-store/files';
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import { silentLogger } from '@audiosplit/chassis/process/log';
import { createHealth } from '@audiosplit/chassis/rpc/health';
import { type Routes, serveInProcess } from '@audiosplit/chassis/rpc/server';
import { testKeysOf } from '@audiosplit/chassis/testing/identities';
import { AccountService } from '@audiosplit/proto/account/v1/account';
import { AuthService } from '@audiosplit/proto/auth/v1/auth';
import { BillingService } from '@audiosplit/proto/billing/v1/billing';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { ConnectionsService } from '@audiosplit/proto/jobs/v1/connections';
import { JobsService } from '@audiosplit/proto/jobs/v1/jobs';
import { WebhooksService } from '@audiosplit/proto/webhooks/v1/webhooks';
import type { ServiceImpl } from '@connectrpc/connect';
import { type Bounds, DEFAULT_BOUNDS } from '../bounds/bound-settings.ts';
import type { BoundedRoute } from '../bounds/route-bounds.ts';
import type { GatewayConfig } from '../config.ts';
import { createMemoryRateLimiter } from '../rate-limit/memory.ts';
import type { RateLimiter } from '../rate-limit/rate-limiter.ts';
import { type GatewayDependencies, startGateway } from '../service.ts';
import { createTestIssuer, newApiKeySecret, sha256Hex, type TestIssuer } from './credentials.ts';
import { type DescriptionCheck, fetchDescriptionCheck } from './description-check.ts';

export const ACCOUNT_ID = 'acc_test';

export interface ServiceDoubles {
  readonly auth?: Partial<ServiceImpl<typeof AuthService>>;
  readonly account?: Partial<ServiceImpl<typeof AccountService>>;
  readonly billing?: Partial<ServiceImpl<typeof BillingService>>;
  readonly jobs?: Partial<ServiceImpl<typeof JobsService>>;
  readonly connections?: Partial<ServiceImpl<typeof ConnectionsService>>;
  readonly webhooks?: Partial<ServiceImpl<typeof WebhooksService>>;
}

interface TestGatewayOptions {
  readonly services?: ServiceDoubles;
  readonly config?: Partial<GatewayConfig>;
  readonly dependencies?: Partial<GatewayDependencies>;
  readonly requestsPerMinute?: number;
  readonly bounds?: Partial<Bounds>;
}

export interface TestGateway extends AsyncDisposable {
  readonly url: string;
  readonly store: ObjectStore;
  readonly limiter: RateLimiter;
  readonly downloadSecret: string;
  readonly issuer: TestIssuer;
  readonly boundedRoutes: readonly BoundedRoute[];
  /** Number of calls that reached the auth service, by method. */
  readonly authCalls: { readonly verifyApiKey: number; readonly getJwks: number };
  readonly usedKeyIds: string[];
  clock(): Date;
  advance(ms: number): void;
  newKey(scopes?: readonly string[]): { readonly secret: string; readonly id: string; revoke(): void };
  /** Marks the account as pending deletion. */
  setPendingDeletion(pending: boolean): void;
  /**
   * `fetch` with the account's access token, or an API key if given. Throws an AssertionError if the response differs
   * from /openapi.json.
   */
  call(path: string, init?: CallOptions): Promise<Response>;
}

export interface CallOptions {
  readonly method?: string;
  readonly json?: unknown;
  readonly body?: string;
  readonly apiKey?: string;
  readonly token?: string | null;
  readonly headers?: Record<string, string>;
  /** The double returns what its service never would, so the response is not checked against the description. */
  readonly isContrived?: boolean;
}

export async function startTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  await using starting = new AsyncDisposableStack();
  let nowMs = Date.now();
  const clock = () => new Date(nowMs);
  const directory = await mkdtemp(join(tmpdir(), 'gateway-test-'));
  starting.defer(() => rm(directory, { recursive: true, force: true }));
  const store = options.dependencies?.store ?? starting.use(await openFileObjectStore({ directory }));
  const limiter = options.dependencies?.limiter ?? starting.use(createMemoryRateLimiter(clock));
  const issuer = await createTestIssuer(clock);

  const keys = new Map<string, { readonly id: string; readonly scopes: readonly string[] }>();
  const authCalls = { verifyApiKey: 0, getJwks: 0 };
  const usedKeyIds: string[] = [];
  let pendingDeletion = false;
  const limits = {
    planId: 'plan_pro',
    requestsPerMinute: options.requestsPerMinute ?? 100_000,
    maxFileSizeBytes: 1_000n,
  };
  const auth: Partial<ServiceImpl<typeof AuthService>> = {
    verifyApiKey({ secretSha256 }) {
      authCalls.verifyApiKey += 1;
      const key = keys.get(Buffer.from(secretSha256).toString('hex'));
      if (key === undefined) throw new ServiceError(Reason.UNAUTHORIZED, 'The API key is not valid.');
      return { keyId: key.id, accountId: ACCOUNT_ID, scopes: [...key.scopes], limits };
    },
    getAccountLimits: () => ({ limits, pendingDeletion }),
    async getJwks() {
      authCalls.getJwks += 1;
      return { jwksJson: await issuer.jwksJson() };
    },
    recordKeyUse({ uses }) {
      usedKeyIds.push(...uses.map(({ keyId }) => keyId));
      return {};
    },
    ...options.services?.auth,
  };
  const serve = (routes: Routes) =>
    serveInProcess({ routes, keys: testKeysOf('jobs'), log: silentLogger(), clock });
  const { account = {}, billing = {}, jobs = {}, connections = {}, webhooks = {} } = options.services ?? {};
  const addresses: Record<string, ReturnType<typeof serve>> = {
    auth: serve((router) => {
      router.service(AuthService, auth);
      createHealth([AuthService], {}).routes(router);
    }),
    account: serve((router) => router.service(AccountService, account)),
    billing: serve((router) => router.service(BillingService, billing)),
    jobs: serve((router) => router.service(JobsService, jobs).service(ConnectionsService, connections)),
    webhooks: serve((router) => router.service(WebhooksService, webhooks)),
  };

  const config: GatewayConfig = {
    host: '127.0.0.1',
    port: 0,
    downloadSecret: 'download secret of the tests, 32 bytes',
    jwt: { issuer: 'audiosplit', audience: 'audiosplit' },
    trustProxy: [],
    ...options.config,
    bounds: { ...DEFAULT_BOUNDS, ...options.bounds },
  };
  const gateway = starting.use(
    await startGateway(config, {
      addressOf: (service) => {
        const address = addresses[service];
        if (address === undefined) throw new Error(`no double for ${service}`);
        return address;
      },
      log: silentLogger(),
      clock,
      keys: testKeysOf('gateway'),
      ...options.dependencies,
      limiter,
      store,
    }),
  );
  const accessToken = await issuer.sign({ sub: ACCOUNT_ID, expiresIn: 365 * 24 * 3600 });
  const running = starting.move();
  let checking: Promise<DescriptionCheck> | undefined;
  const descriptionCheck = () => {
    checking ??= fetchDescriptionCheck(gateway.url);
    return checking;
  };

  return {
    url: gateway.url,
    boundedRoutes: gateway.boundedRoutes,
    store,
    limiter,
    downloadSecret: config.downloadSecret,
    issuer,
    authCalls,
    usedKeyIds,
    clock,
    advance(ms) {
      nowMs += ms;
    },
    newKey(scopes = ['splits:read', 'splits:write', 'keys:manage']) {
      const secret = newApiKeySecret();
      const id = `key_${keys.size + 1}`;
      keys.set(sha256Hex(secret), { id, scopes });
      return { secret, id, revoke: () => void keys.delete(sha256Hex(secret)) };
    },
    setPendingDeletion(pending) {
      pendingDeletion = pending;
    },
    async call(path, { method = 'GET', json, body, apiKey, token, headers = {}, isContrived = false } = {}) {
      const bearer = token === undefined && apiKey === undefined ? accessToken : token;
      const url = new URL(path, gateway.url);
      // Read before the request, which may stop the gateway.
      const check = isContrived ? undefined : await descriptionCheck();
      const response = await fetch(url, {
        method,
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
        ...(body === undefined ? {} : { body }),
        headers: {
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
          ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
          ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
          ...headers,
        },
      });
      await check?.(method, url, response);
      return response;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
