/** The product on its embedded defaults, in a folder and on a port of its own, with accounts that may ask as often as they like. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@audiosplit/chassis/clock';
import { createLogger } from '@audiosplit/chassis/process/log';
import { createCaller } from '@audiosplit/chassis/rpc/client';
import { BillingService } from '@audiosplit/proto/billing/v1/billing';
import { readLocalConfig } from '../../deploy/embedded/config.ts';
import { startEmbeddedSystem } from '../../deploy/embedded/embedded-system.ts';
import { readOrMakeSecrets } from '../../deploy/embedded/installation-secrets.ts';

export interface Installation extends AsyncDisposable {
  readonly baseUrl: string;
  /** An account through the front door, with a key of all scopes and limits that no run reaches. */
  makeAccount(name: string): Promise<FuzzedAccount>;
}

export interface FuzzedAccount {
  readonly accessToken: string;
  readonly apiKey: string;
  readonly apiKeyId: string;
}

const PASSWORD = 'correct horse battery staple';
const LIMITS = { requestsPerMinute: 1_000_000, monthlyMinutes: 1_000_000, concurrentJobs: 1 };

/** To be revoked and replaced. */
const SPARE_KEYS = 20;

/**
 * Callers of the loopback are believed in what they say of their address (TRUST_PROXY), so that the bucket of 60
 * requests a minute of an unknown caller can be left behind for a fresh one.
 */
const ENVIRONMENT = { HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'error', TRUST_PROXY: '127.0.0.1' };

export async function startInstallation(): Promise<Installation> {
  await using starting = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'audiosplit-schema-'));
  starting.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 3 }));
  const env = { ...ENVIRONMENT, DATA_DIR: dataDir };
  const config = readLocalConfig(env, dataDir);
  const log = createLogger('local', config.logLevel);
  const fatal = (error: Error) => {
    throw error;
  };
  const { baseUrl, addressOf } = starting.use(await startEmbeddedSystem({ config, log, env, fatal }));
  const { internalSecret } = await readOrMakeSecrets(dataDir);
  const operator = createCaller({ service: 'local', internalSecret, clock: systemClock });
  const billing = operator.client(BillingService, addressOf('billing'));

  const running = starting.move();
  return {
    baseUrl,
    async makeAccount(name) {
      const email = `${name}@example.com`;
      const session = await post<Session>(`${baseUrl}/api/v1/auth/register`, { email, password: PASSWORD });
      await billing.setAccountOverrides({ accountId: session.account.id, ...LIMITS });
      const { accessToken } = session;
      const headers = { authorization: `Bearer ${accessToken}` };
      const makeKey = () => post<ApiKey>(`${baseUrl}/api/v1/api-keys`, { name }, headers);
      const key = await makeKey();
      for (let spare = 0; spare < SPARE_KEYS; spare++) await makeKey();
      return { accessToken, apiKey: key.key, apiKeyId: key.id };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

interface Session {
  readonly account: { readonly id: string };
  readonly accessToken: string;
}

interface ApiKey {
  readonly id: string;
  readonly key: string;
}

async function post<T>(url: string, body: unknown, headers: Record<string, string> = {}): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (response.status !== 201)
    throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}
