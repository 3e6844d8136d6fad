/** Kind `embedded`: the product in this process, as `npm start` has it, with a real splitter and the system's clock. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Env } from '@audiosplit/chassis/process/env';
import { type Logger, silentLogger } from '@audiosplit/chassis/process/log';
import { failTest } from '@audiosplit/chassis/testing/service-context';
import { createTestDatabase } from '@audiosplit/chassis/testing/test-database';
import { readLocalConfig } from '../../../deploy/embedded/config.ts';
import { startEmbeddedSystem } from '../../../deploy/embedded/embedded-system.ts';
import {
  type InstallationSecrets,
  readOrMakeSecrets,
} from '../../../deploy/embedded/installation-secrets.ts';
import { startEmbeddedPostgres } from '../../../deploy/embedded/postgres/embedded-postgres.ts';
import { type Limits, setLimits, untilLimitHolds } from '../accounts/limits.ts';
import { type Account, type AccountOptions, openAccount } from '../accounts/open-account.ts';

export interface EmbeddedOptions {
  readonly kind: 'embedded';
  /** Over its defaults. Without DATABASE_URL it has a new database on the runner's Postgres, or an own one. */
  readonly env?: Env;
  /** Started for it; waits for its disk, as with `npm start`. */
  readonly postgres?: 'own';
  /** Kept at the end; by default a new one that is removed. */
  readonly dataDir?: string;
  readonly log?: Logger;
}

export interface EmbeddedInstallation extends AsyncDisposable {
  readonly baseUrl: string;
  readonly databaseUrl: string;
  readonly secrets: InstallationSecrets;
  openAccount(options?: AccountOptions & { readonly limits?: Limits }): Promise<Account>;
  /** All metrics, in the format of Prometheus. */
  scrape(): Promise<string>;
}

export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedInstallation> {
  await using starting = new AsyncDisposableStack();
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'audiosplit-embedded-')));
  if (options.dataDir === undefined)
    starting.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 3 }));
  const openDatabase = () =>
    options.postgres === 'own' ? startOwnPostgres(dataDir) : createTestDatabase([]);
  const databaseUrl = options.env?.DATABASE_URL ?? starting.use(await openDatabase()).url;
  const env: Env = {
    HOST: '127.0.0.1',
    PORT: '0',
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
    METRICS_PORT: '0',
    ...options.env,
  };
  const log = options.log ?? silentLogger();
  const config = readLocalConfig(env, dataDir);
  const system = starting.use(await startEmbeddedSystem({ config, log, env, fatal: failTest }));
  const secrets = await readOrMakeSecrets(dataDir);
  const running = starting.move();
  return {
    baseUrl: system.baseUrl,
    databaseUrl,
    secrets,
    async openAccount({ limits, ...accountOptions } = {}) {
      const account = await openAccount(system.baseUrl, accountOptions);
      const { internalSecret } = secrets;
      if (limits !== undefined) {
        await setLimits({ billing: system.addressOf('billing'), internalSecret }, account.id, limits);
        const { requestsPerMinute } = limits;
        if (requestsPerMinute !== undefined)
          await untilLimitHolds(system.baseUrl, account, requestsPerMinute);
      }
      return account;
    },
    async scrape() {
      const response = await fetch(`http://127.0.0.1:${system.metricsPort}/metrics`);
      if (response.status !== 200) throw new Error(`metrics were answered with ${response.status}`);
      return response.text();
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function startOwnPostgres(dataDir: string) {
  return startEmbeddedPostgres({ directory: join(dataDir, 'postgres'), durable: true, maxConnections: 100 });
}
