/**
 * Kind `embedded`: the product in this process, as `npm start` runs it, with a real splitter and the system
 * clock.
 */
import type { Env } from '@audiosplit/chassis/process/env';
import { type Logger, silentLogger } from '@audiosplit/chassis/process/log';
import { failTest } from '@audiosplit/chassis/testing/service-context';
import { createTestDatabase } from '@audiosplit/chassis/testing/test-database';
import { readLocalConfig } from '../../../deploy/embedded/config.ts';
import { startEmbeddedSystem } from '../../../deploy/embedded/embedded-system.ts';
import {
  type InstallationSecrets,
  keysOf,
  readOrMakeSecrets,
} from '../../../deploy/embedded/installation-secrets.ts';
import { SCHEMAS } from '../../../deploy/embedded/schemas.ts';
import { accountOpener, type OpenAccount } from '../accounts/limits.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { ONE_ADDRESS } from './one-address.ts';
import { startOwnPostgres } from './own-postgres.ts';

export interface EmbeddedOptions {
  readonly kind: 'embedded';
  /**
   * Overrides the defaults. Without DATABASE_URL it uses a new database on the runner's Postgres, or its own
   * Postgres.
   */
  readonly env?: Env;
  /** Starts a Postgres for it, which syncs to disk as with `npm start`. */
  readonly postgres?: 'own';
  /** Kept at the end; by default a new folder that is removed. */
  readonly dataDir?: string;
  readonly log?: Logger;
}

export interface EmbeddedInstallation extends AsyncDisposable {
  readonly baseUrl: string;
  readonly databaseUrl: string;
  readonly secrets: InstallationSecrets;
  readonly openAccount: OpenAccount;
  /** Returns all metrics in the Prometheus format. */
  scrape(): Promise<string>;
}

export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedInstallation> {
  await using starting = new AsyncDisposableStack();
  const dataDir = options.dataDir ?? starting.use(await temporaryFolder()).path;
  const openDatabase = () =>
    options.postgres === 'own' ? startOwnPostgres({ durable: true }) : createTestDatabase(SCHEMAS);
  const databaseUrl = options.env?.DATABASE_URL ?? starting.use(await openDatabase()).url;
  const env: Env = {
    HOST: '127.0.0.1',
    PORT: '0',
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
    ...ONE_ADDRESS,
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
    openAccount: accountOpener(() => system.baseUrl, {
      billing: () => system.addressOf('billing'),
      keys: keysOf(secrets, 'operator'),
      gatewayUrls: () => [system.baseUrl],
    }),
    async scrape() {
      const response = await fetch(`http://127.0.0.1:${system.metricsPort}/metrics`);
      if (response.status !== 200) throw new Error(`metrics were answered with ${response.status}`);
      return response.text();
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
