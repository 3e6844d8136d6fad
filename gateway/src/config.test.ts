import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '@audiosplit/chassis/process/env';
import { testIdentityEnv } from '@audiosplit/chassis/testing/identities';
import { DEFAULT_BOUNDS } from './bounds/bound-settings.ts';
import { readGatewayProcessConfig } from './config.ts';

const SECRET = 'x'.repeat(32);
const env = {
  ...testIdentityEnv('gateway'),
  DOWNLOAD_SECRET: SECRET,
  STORAGE_URL: 'file:///var/lib/audiosplit',
  AUTH_RPC_URL: 'http://auth:9090',
  ACCOUNT_RPC_URL: 'http://account:9090',
  BILLING_RPC_URL: 'http://billing:9090',
  JOBS_RPC_URL: 'http://jobs:9090',
  WEBHOOKS_RPC_URL: 'http://webhooks:9090',
};

test('settings with a default may be omitted', () => {
  const { gateway, redisUrl, logLevel, storage, drainDelayMs, drainRequestsMs } =
    readGatewayProcessConfig(env);
  assert.deepEqual(gateway, {
    host: '0.0.0.0',
    port: 8080,
    downloadSecret: SECRET,
    jwt: { issuer: 'audiosplit', audience: 'audiosplit' },
    trustProxy: [],
    bounds: DEFAULT_BOUNDS,
  });
  assert.deepEqual([redisUrl, logLevel, storage.kind], [undefined, 'info', 'files']);
  assert.deepEqual([drainDelayMs, drainRequestsMs], [5_000, 20_000]);
});

// Covers D-1.15
test('every setting can be set', () => {
  const { gateway, redisUrl, drainDelayMs, drainRequestsMs } = readGatewayProcessConfig({
    ...env,
    DRAIN_DELAY_SECONDS: '0',
    DRAIN_REQUESTS_SECONDS: '300',
    PORT: '443',
    HOST: '::',
    PUBLIC_BASE_URL: 'https://audio.example/',
    REDIS_URL: 'redis://redis:6379',
    JWT_ISSUER: 'https://id.example',
    JWT_AUDIENCE: 'audio',
    JWT_JWKS_URL: 'https://id.example/keys',
    TRUST_PROXY: '10.0.0.0/8, ::1, 192.0.2.1',
    ADDRESS_REQUESTS_PER_MINUTE: '90',
  });
  assert.deepEqual(gateway, {
    host: '::',
    port: 443,
    publicBaseUrl: 'https://audio.example',
    downloadSecret: SECRET,
    jwt: { issuer: 'https://id.example', audience: 'audio', jwksUrl: 'https://id.example/keys' },
    trustProxy: ['10.0.0.0/8', '::1', '192.0.2.1'],
    bounds: { ...DEFAULT_BOUNDS, ADDRESS_REQUESTS_PER_MINUTE: 90 },
  });
  assert.equal(redisUrl, 'redis://redis:6379');
  assert.deepEqual([drainDelayMs, drainRequestsMs], [0, 300_000]);
});

test('keys of an external issuer without its name are rejected', () => {
  assert.throws(
    () => readGatewayProcessConfig({ ...env, JWT_JWKS_URL: 'https://id.example/keys' }),
    (error) => error instanceof ConfigError && error.variable === 'JWT_ISSUER',
  );
});

for (const [variable, value] of [
  ['PORT', '65536'],
  ['PUBLIC_BASE_URL', 'audio.example'],
  ['PUBLIC_BASE_URL', 'https://audio.example/api'],
  ['IDENTITY_PRIVATE_KEY', 'short'],
  ['IDENTITY_PUBLIC_KEYS', 'gateway short'],
  ['IDENTITY_PUBLIC_KEYS', 'doorway MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE='],
  ['DOWNLOAD_SECRET', ''],
  ['STORAGE_URL', ''],
  ['REDIS_URL', 'http://redis'],
  ['JOBS_RPC_URL', ''],
  ['TRUST_PROXY', 'proxy.local'],
  ['TRUST_PROXY', '10.0.0.0/33'],
  ['TRUST_PROXY', '10.0.0.0/8/8'],
  ['JWT_JWKS_URL', 'keys.json'],
  ['LOG_LEVEL', 'loud'],
] as const) {
  test(`rejected with the name of the variable: ${variable}=${value}`, () => {
    assert.throws(
      () => readGatewayProcessConfig({ ...env, [variable]: value }),
      (error) => error instanceof ConfigError && error.variable === variable,
    );
  });
}

test("card payments use Stripe's own script; a stand-in without https works only with a test key", () => {
  const stripeOf = (more: Record<string, string>) =>
    readGatewayProcessConfig({ ...env, ...more }).gateway.stripe;
  const own = stripeOf({ STRIPE_PUBLISHABLE_KEY: 'pk_live_1' });
  assert.deepEqual([own?.publishableKey, own?.scriptUrl.href], ['pk_live_1', 'https://js.stripe.com/v3/']);
  const standIn = { STRIPE_SCRIPT_URL: 'http://127.0.0.1:9/stripe.js' };
  assert.equal(stripeOf({ ...standIn, STRIPE_PUBLISHABLE_KEY: 'pk_test_1' })?.scriptUrl.port, '9');
  assert.throws(() => stripeOf({ ...standIn, STRIPE_PUBLISHABLE_KEY: 'pk_live_1' }), ConfigError);
  assert.throws(() => stripeOf({ STRIPE_PUBLISHABLE_KEY: 'sk_test_1' }), ConfigError);
});
