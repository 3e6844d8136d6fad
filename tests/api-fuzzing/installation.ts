/** The product on its embedded defaults, with accounts that may send as many requests as they like. */
import { createLogger } from '@audiosplit/chassis/process/log';
import { UNLIMITED } from '../harness/accounts/limits.ts';
import { startOwnPostgres } from '../harness/installation/own-postgres.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';

export interface FuzzedInstallation extends AsyncDisposable {
  readonly baseUrl: string;
  /** With a key of all scopes and limits that no run reaches. */
  openAccount(name: string): Promise<FuzzedAccount>;
}

export interface FuzzedAccount {
  readonly accessToken: string;
  readonly apiKey: string;
  readonly apiKeyId: string;
}

/** To be revoked and replaced. */
const SPARE_KEYS = 20;

export async function startFuzzedInstallation(): Promise<FuzzedInstallation> {
  await using starting = new AsyncDisposableStack();
  const postgres = starting.use(await startOwnPostgres({ durable: true }));
  const installation = starting.use(
    await startInstallation({
      kind: 'embedded',
      log: createLogger('local', 'error'),
      env: {
        DATABASE_URL: postgres.url,
        EGRESS_ALLOW_CIDRS: undefined,
        METRICS_PORT: undefined,
        // Lets a run change its address, as an unknown caller has 60 requests a minute for each.
        TRUST_PROXY: '127.0.0.1',
      },
    }),
  );
  const running = starting.move();
  return {
    baseUrl: installation.baseUrl,
    async openAccount(name) {
      const { client, accessToken, createdKey } = await installation.openAccount({
        email: `${name}@example.com`,
        limits: { ...UNLIMITED, concurrentJobs: 1 },
      });
      for (let spare = 0; spare < SPARE_KEYS; spare++) await client.createApiKey({ name });
      return { accessToken: accessToken(), apiKey: createdKey.key, apiKeyId: createdKey.id };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
