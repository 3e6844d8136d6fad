import { isIP } from 'node:net';
import { type IdentityKeys, readIdentityKeys } from '@audiosplit/chassis/identity/keys';
import { STORAGE_SETTINGS, type StorageLocation } from '@audiosplit/chassis/object-store/storage-url';
import { type MetricsConfig, readMetricsConfig } from '@audiosplit/chassis/observability/metrics-endpoint';
import { readTracingConfig, type TracingConfig } from '@audiosplit/chassis/observability/tracing-config';
import { ConfigError, type Env } from '@audiosplit/chassis/process/env';
import type { LogLevel } from '@audiosplit/chassis/process/log';
import { PROCESS_SETTINGS, REDIS_URL } from '@audiosplit/chassis/process/process-config';
import { rpcUrlSettings, rpcUrlVariable } from '@audiosplit/chassis/process/rpc-urls';
import {
  integer,
  list,
  parsed,
  port,
  readSettings,
  secret,
  text,
  url,
  type ValuesOf,
} from '@audiosplit/chassis/process/settings';
import { BOUND_SETTINGS, type Bounds } from './bounds/bound-settings.ts';
import { STRIPE_SCRIPT, type StripePage } from './console/stripe-page.ts';
import type { JwtConfig } from './credentials/credentials.ts';
import { SERVICE_NAMES, type ServiceName } from './services.ts';

const WEB_SCHEMES = ['http', 'https'];
const PUBLISHABLE_KEYS = 'a publishable key of Stripe: pk_test_… or pk_live_…';
const PROXIES = 'addresses or CIDR networks, separated by commas';

export const DEFAULT_JWT_ISSUER = 'audiosplit';
export const DEFAULT_JWT_AUDIENCE = 'audiosplit';

const GATEWAY_SETTINGS = {
  HOST: text({ what: 'address on which the gateway listens', default: '0.0.0.0' }),
  PORT: port({ what: 'port of the API; 0 takes a free one', default: 8080 }),
  PUBLIC_BASE_URL: url(WEB_SCHEMES, {
    what: 'scheme, host and port of the API for its callers, without a path',
    shownDefault: 'the address on which it listens',
    chart: 'publicBaseUrl',
  }),
  DOWNLOAD_SECRET: secret({ what: 'signs links to stored files', chart: 'secrets.download' }),
  JWT_JWKS_URL: url(WEB_SCHEMES, {
    what:
      'key set of an OpenID Connect provider: its users get an account with their first request, and signing in here ' +
      'is off',
    shownDefault: 'our own keys',
    chart: 'tokens.jwksUrl',
  }),
  JWT_ISSUER: text({
    what: '`iss` of access tokens; required with `JWT_JWKS_URL`',
    shownDefault: `\`${DEFAULT_JWT_ISSUER}\``,
    chart: 'tokens.issuer',
  }),
  JWT_AUDIENCE: text({
    what: '`aud` of access tokens',
    default: DEFAULT_JWT_AUDIENCE,
    chart: 'tokens.audience',
  }),
  TRUST_PROXY: list(
    { what: 'proxies whose `X-Forwarded-For` is trusted', chart: 'gateway.trustProxy' },
    { allowed: PROXIES, parse: (proxies) => proxies.map(checkProxy) },
  ),
  STRIPE_PUBLISHABLE_KEY: parsed(
    {
      what: 'where billing charges by Stripe: with it the console shows Stripe Elements, without it a field for a token',
      shownDefault: 'none',
    },
    {
      allowed: PUBLISHABLE_KEYS,
      parse(value, refuse) {
        if (!/^pk_(test|live)_\w+$/.test(value)) throw refuse(PUBLISHABLE_KEYS);
        return value;
      },
    },
  ),
  STRIPE_SCRIPT_URL: url(WEB_SCHEMES, {
    what: 'for tests: another script with the interface of Stripe.js; http with a test key only',
    shownDefault: "Stripe's own",
  }),
  ...BOUND_SETTINGS,
};

export const SETTINGS = {
  ...GATEWAY_SETTINGS,
  REDIS_URL,
  ...STORAGE_SETTINGS,
  ...rpcUrlSettings(SERVICE_NAMES),
  DRAIN_REQUESTS_SECONDS: integer({
    what: 'how long a stopping gateway waits for requests in flight',
    default: 20,
    min: 0,
    max: 3_600,
    chart: 'drain.requestsSeconds',
  }),
};

/** Configuration of a gateway in any process. */
export interface GatewayConfig {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Scheme, host and port of the API for its callers. Default: the address it listens on. */
  readonly publicBaseUrl?: string;
  /** Signs links to stored files. The same in all gateways of an installation; no other process has it. */
  readonly downloadSecret: string;
  readonly jwt: JwtConfig;
  /** Proxies whose X-Forwarded-For is trusted. */
  readonly trustProxy: readonly string[];
  /** Limits for callers of the gateway. */
  readonly bounds: Bounds;
  /** Set if cards are entered in the console. */
  readonly stripe?: StripePage;
}

/** Configuration of a gateway in its own process. */
export interface GatewayProcessConfig {
  readonly gateway: GatewayConfig;
  readonly keys: IdentityKeys;
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

export function readGatewayConfig(env: Env): GatewayConfig {
  const values = readSettings(GATEWAY_SETTINGS, env);
  const publicBaseUrl = originOf(values.PUBLIC_BASE_URL);
  return {
    host: values.HOST,
    port: values.PORT,
    ...(publicBaseUrl === undefined ? {} : { publicBaseUrl }),
    downloadSecret: values.DOWNLOAD_SECRET,
    jwt: jwtConfigOf(values),
    trustProxy: values.TRUST_PROXY,
    bounds: readSettings(BOUND_SETTINGS, env),
    ...stripeOf(values),
  };
}

export function readGatewayProcessConfig(env: Env): GatewayProcessConfig {
  const values = readSettings({ ...PROCESS_SETTINGS, ...SETTINGS }, env);
  const urls = SERVICE_NAMES.map((name) => [name, values[rpcUrlVariable(name)].href]);
  return {
    gateway: readGatewayConfig(env),
    keys: readIdentityKeys(env, 'gateway'),
    redisUrl: values.REDIS_URL?.href,
    storage: values.STORAGE_URL,
    serviceUrls: Object.fromEntries(urls) as Record<ServiceName, string>,
    logLevel: values.LOG_LEVEL,
    drainDelayMs: values.DRAIN_DELAY_SECONDS * 1_000,
    drainRequestsMs: values.DRAIN_REQUESTS_SECONDS * 1_000,
    metrics: readMetricsConfig(env),
    tracing: readTracingConfig(env),
  };
}

/** An external key set requires its issuer, so JWT_JWKS_URL alone is rejected. */
function jwtConfigOf(values: ValuesOf<typeof GATEWAY_SETTINGS>): JwtConfig {
  const { JWT_AUDIENCE: audience, JWT_ISSUER: issuer, JWT_JWKS_URL: jwksUrl } = values;
  if (jwksUrl === undefined) return { issuer: issuer ?? DEFAULT_JWT_ISSUER, audience };
  if (issuer === undefined) {
    throw new ConfigError('JWT_ISSUER', undefined, 'the issuer of the tokens whose keys are at JWT_JWKS_URL');
  }
  return { issuer, audience, jwksUrl: jwksUrl.href };
}

function stripeOf(values: ValuesOf<typeof GATEWAY_SETTINGS>): { readonly stripe?: StripePage } {
  const { STRIPE_PUBLISHABLE_KEY: publishableKey, STRIPE_SCRIPT_URL: scriptUrl = STRIPE_SCRIPT } = values;
  if (publishableKey === undefined) return {};
  if (scriptUrl.protocol === 'http:' && !publishableKey.startsWith('pk_test_')) {
    throw new ConfigError('STRIPE_SCRIPT_URL', scriptUrl.href, 'https://…; http:// with a test key only');
  }
  return { stripe: { publishableKey, scriptUrl } };
}

/** Signatures cover the whole path of a link, so the gateway must be at the root of its host. */
function originOf(publicBaseUrl: URL | undefined): string | undefined {
  if (publicBaseUrl !== undefined && publicBaseUrl.href !== `${publicBaseUrl.origin}/`) {
    throw new ConfigError(
      'PUBLIC_BASE_URL',
      publicBaseUrl.href,
      'scheme, host and port only, without a path',
    );
  }
  return publicBaseUrl?.origin;
}

function checkProxy(proxy: string): string {
  const [address = '', bits, ...rest] = proxy.split('/');
  const widest = isIP(address) === 4 ? 32 : 128;
  const isPrefix = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= widest);
  if (isIP(address) === 0 || !isPrefix || rest.length > 0) throw new Error(`${proxy} is neither`);
  return proxy;
}
