/**
 * Reads the gateway's configuration from an environment. Pure.
 *
 * PORT, HOST, PUBLIC_BASE_URL, INTERNAL_SECRET, DOWNLOAD_SECRET, REDIS_URL (unset: limits are counted in memory, for
 * one gateway only), STORAGE_URL, `<SERVICE>_RPC_URL` for each service, JWT_ISSUER, JWT_AUDIENCE, JWT_JWKS_URL (unset:
 * the auth service's own keys), TRUST_PROXY, LOG_LEVEL, DRAIN_DELAY_SECONDS, DRAIN_REQUESTS_SECONDS, METRICS_PORT,
 * METRICS_HOST, OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_SAMPLER_ARG.
 */

import { isIP } from 'node:net';
import { parseStorageUrl, type StorageLocation } from '@audiosplit/chassis/object-store/storage-url';
import { type MetricsConfig, readMetricsConfig } from '@audiosplit/chassis/observability/metrics-endpoint';
import { readTracingConfig, type TracingConfig } from '@audiosplit/chassis/observability/tracing-config';
import { readDrainDelayMs } from '@audiosplit/chassis/process/drain-delay';
import {
  ConfigError,
  type Env,
  integer,
  list,
  MIN_SECRET_BYTES,
  oneOf,
  optionalText,
  optionalUrl,
  requiredUrl,
  secret,
  text,
} from '@audiosplit/chassis/process/env';
import { LOG_LEVELS, type LogLevel } from '@audiosplit/chassis/process/log';
import type { JwtConfig } from './credentials/credentials.ts';
import { SERVICE_NAMES, type ServiceName } from './services.ts';

/** Configuration of a gateway in any process. */
export interface GatewayConfig {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Scheme, host and port of the API for its callers. Default: the address it listens on. */
  readonly publicBaseUrl?: string;
  /** Signs links to stored files. All gateways and splitters of an installation share it. */
  readonly downloadSecret: string;
  readonly jwt: JwtConfig;
  /** Proxies whose X-Forwarded-For is trusted. */
  readonly trustProxy: readonly string[];
}

/** Configuration of a gateway in its own process. */
export interface GatewayProcessConfig {
  readonly gateway: GatewayConfig;
  readonly internalSecret: string;
  readonly redisUrl: string | undefined;
  readonly storage: StorageLocation;
  readonly serviceUrls: Readonly<Record<ServiceName, string>>;
  readonly logLevel: LogLevel;
  /** Time between reporting not ready and closing connections. */
  readonly drainDelayMs: number;
  /** Time for requests in flight to finish after that. */
  readonly drainRequestsMs: number;
  /** Undefined: no metrics. */
  readonly metrics: MetricsConfig | undefined;
  /** Undefined: no tracing. */
  readonly tracing: TracingConfig | undefined;
}

const WEB_SCHEMES = ['http', 'https'];

export const DEFAULT_JWT_ISSUER = 'audiosplit';
export const DEFAULT_JWT_AUDIENCE = 'audiosplit';

export function readGatewayConfig(env: Env): GatewayConfig {
  const publicBaseUrl = readPublicBaseUrl(env);
  return {
    host: text(env, 'HOST', '0.0.0.0'),
    port: integer(env, 'PORT', 8080, 0, 65_535),
    ...(publicBaseUrl === undefined ? {} : { publicBaseUrl }),
    downloadSecret: secret(env, 'DOWNLOAD_SECRET', MIN_SECRET_BYTES),
    jwt: readJwt(env),
    trustProxy: readTrustedProxies(env),
  };
}

export function readGatewayProcessConfig(env: Env): GatewayProcessConfig {
  return {
    gateway: readGatewayConfig(env),
    internalSecret: secret(env, 'INTERNAL_SECRET', MIN_SECRET_BYTES),
    redisUrl: optionalUrl(env, 'REDIS_URL', ['redis', 'rediss'])?.href,
    storage: parseStorageUrl(text(env, 'STORAGE_URL', '')),
    serviceUrls: readServiceUrls(env),
    logLevel: oneOf(env, 'LOG_LEVEL', LOG_LEVELS, 'info'),
    drainDelayMs: readDrainDelayMs(env),
    drainRequestsMs: integer(env, 'DRAIN_REQUESTS_SECONDS', 20, 0, 3_600) * 1_000,
    metrics: readMetricsConfig(env),
    tracing: readTracingConfig(env),
  };
}

/** An external key set needs its issuer, so JWT_JWKS_URL alone is rejected. */
function readJwt(env: Env): JwtConfig {
  const audience = text(env, 'JWT_AUDIENCE', DEFAULT_JWT_AUDIENCE);
  const jwksUrl = optionalUrl(env, 'JWT_JWKS_URL', WEB_SCHEMES)?.href;
  if (jwksUrl === undefined) return { issuer: text(env, 'JWT_ISSUER', DEFAULT_JWT_ISSUER), audience };
  const issuer = optionalText(env, 'JWT_ISSUER');
  if (issuer === undefined) {
    throw new ConfigError('JWT_ISSUER', undefined, 'the issuer of the tokens whose keys are at JWT_JWKS_URL');
  }
  return { issuer, audience, jwksUrl };
}

/** Signatures cover the whole path of a link, so the gateway must be at the root of its host. */
function readPublicBaseUrl(env: Env): string | undefined {
  const url = optionalUrl(env, 'PUBLIC_BASE_URL', WEB_SCHEMES);
  if (url !== undefined && url.href !== `${url.origin}/`) {
    throw new ConfigError('PUBLIC_BASE_URL', url.href, 'scheme, host and port only, without a path');
  }
  return url?.origin;
}

function readTrustedProxies(env: Env): readonly string[] {
  const proxies = list(env, 'TRUST_PROXY');
  for (const proxy of proxies) {
    const [address = '', bits, ...rest] = proxy.split('/');
    const widest = isIP(address) === 4 ? 32 : 128;
    const isPrefix = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= widest);
    if (isIP(address) === 0 || !isPrefix || rest.length > 0) {
      throw new ConfigError('TRUST_PROXY', proxy, 'addresses or CIDR networks, separated by commas');
    }
  }
  return proxies;
}

function readServiceUrls(env: Env): Record<ServiceName, string> {
  const urlOf = (service: ServiceName) =>
    requiredUrl(env, `${service.toUpperCase()}_RPC_URL`, WEB_SCHEMES).href;
  return Object.fromEntries(SERVICE_NAMES.map((name) => [name, urlOf(name)])) as Record<ServiceName, string>;
}
