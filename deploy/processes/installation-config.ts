/** The environment of `npm run up`, checked in full before anything is started. */

import { join } from 'node:path';
import { readAccountConfig } from '@audiosplit/account/config';
import { readAuthConfig } from '@audiosplit/auth/config';
import { readBillingConfig } from '@audiosplit/billing/config';
import type { Env } from '@audiosplit/chassis/process/env';
import { readGatewayConfig } from '@audiosplit/gateway/config';
import { readJobsConfig } from '@audiosplit/jobs/config';
import { readSplitterConfig, SETTINGS as SPLITTER_SETTINGS } from '@audiosplit/splitter/config';
import { readWebhooksConfig } from '@audiosplit/webhooks/config';
import { type LocalConfig, readLocalConfig } from '../embedded/config.ts';
import type { InstallationSecrets } from '../embedded/installation-secrets.ts';
import { SAMPLES_PATH } from '../embedded/samples.ts';
import type { ProcessEnv } from '../embedded/settings.ts';

export const DEFAULT_DATA_DIR = './.data/distributed';

/**
 * Like `npm start`: a stop takes at most 10 s; a splitter hands back the jobs that it does not finish by
 * then.
 */
const DRAIN_GRACE_SECONDS = '4';
/**
 * The balancer notices within one second (balancer.ts); a machine busy with starting a successor needs
 * longer.
 */
const DRAIN_DELAY_SECONDS = '2';

export function readInstallationConfig(env: Env, workingDir: string): LocalConfig {
  return readLocalConfig({ ...env, DATA_DIR: env.DATA_DIR ?? DEFAULT_DATA_DIR }, workingDir);
}

export const INSTALLATION_ENGINES = ['postgres', 'redis', 'kafka', 'versitygw'] as const;
export type InstallationEngine = (typeof INSTALLATION_ENGINES)[number];

/** The engines for which the environment has no address. */
export function enginesToStart(config: LocalConfig): readonly InstallationEngine[] {
  const given: Readonly<Record<InstallationEngine, unknown>> = {
    postgres: config.databaseUrl,
    redis: config.redisUrl,
    kafka: config.kafka,
    versitygw: config.storage,
  };
  return INSTALLATION_ENGINES.filter((engine) => given[engine] === undefined);
}

/** The settings in which `npm run up` differs from the services' defaults. */
export function upSettings(splitters: number): ProcessEnv {
  return {
    LOG_LEVEL: 'info',
    DRAIN_GRACE_SECONDS,
    DRAIN_DELAY_SECONDS,
    SPLITTER_PARTS: String(splitters > 1),
    SPLITTER_CONCURRENCY: String(
      Math.max(1, Math.floor(Number(SPLITTER_SETTINGS.SPLITTER_CONCURRENCY.default) / splitters)),
    ),
  };
}

export function secretEnvironment({
  authSecret,
  downloadSecret,
  internalSecret,
  identities,
}: InstallationSecrets): ProcessEnv {
  return {
    AUTH_SECRET: authSecret,
    WEBHOOKS_SECRET: authSecret,
    DOWNLOAD_SECRET: downloadSecret,
    INTERNAL_SECRET: internalSecret,
    ...identities,
  };
}

/**
 * The variables common to all processes, without the addresses of engines that are started here. `env` is
 * passed on, so every other setting of a service can be set there. Throws ConfigError.
 */
export function processEnvironment(
  env: Env,
  config: LocalConfig,
  options: {
    readonly secrets: InstallationSecrets;
    readonly baseUrl: string;
    readonly splitters: number;
  },
): Env {
  const { secrets, baseUrl, splitters } = options;
  const defaults: ProcessEnv = {
    ...upSettings(splitters),
    MAIL_DIR: join(config.dataDir, 'mail'),
    PUBLIC_BASE_URL: baseUrl,
  };
  const fixed = {
    EGRESS_ALLOW_URL_PREFIXES: `${baseUrl}${SAMPLES_PATH}`,
    // The balancer, which sets X-Forwarded-For.
    TRUST_PROXY: '127.0.0.1',
  } satisfies ProcessEnv;
  const processes = { ...defaults, ...env, ...fixed, ...secretEnvironment(secrets) };
  for (const read of [
    ...[readBillingConfig, readAuthConfig, readAccountConfig, readWebhooksConfig],
    ...[readJobsConfig, readSplitterConfig, readGatewayConfig],
  ]) {
    read(processes);
  }
  return processes;
}
