import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '@audiosplit/chassis/process/env';
import { testIdentityEnv } from '@audiosplit/chassis/testing/identities';
import { readOperatorsConfig, readOperatorsProcessConfig } from './config.ts';

const SECRET = 'x'.repeat(32);

test('with only a credential it listens on this machine only', () => {
  const config = readOperatorsConfig({ OPERATORS_CREDENTIALS: `ada:${SECRET}` });
  assert.deepEqual(config, {
    host: '127.0.0.1',
    port: 8090,
    secrets: new Map([['ada', SECRET]]),
    links: [],
  });
});

test('several operators, links and another address can be set', () => {
  const { operators, bus, logLevel } = readOperatorsProcessConfig({
    KAFKA_BROKERS: 'kafka:9092',
    ...testIdentityEnv('operator'),
    LOG_LEVEL: 'warn',
    OPERATORS_HOST: '0.0.0.0',
    OPERATORS_PORT: '0',
    OPERATORS_CREDENTIALS: `ada@example.com:a:${SECRET}\n  ken:k${SECRET},`,
    OPERATORS_LINKS: 'Grafana=https://grafana.example/d/x?orgId=1, Runbooks = https://wiki.example',
  });
  assert.deepEqual([operators.host, operators.port, logLevel], ['0.0.0.0', 0, 'warn']);
  assert.deepEqual(bus, { kafka: { brokers: ['kafka:9092'], security: { ssl: false } } });
  assert.deepEqual(
    [...operators.secrets],
    [
      ['ada@example.com', `a:${SECRET}`],
      ['ken', `k${SECRET}`],
    ],
  );
  assert.deepEqual(operators.links[0], { name: 'Grafana', url: 'https://grafana.example/d/x?orgId=1' });
});

for (const [variable, env] of [
  ['OPERATORS_CREDENTIALS', {}],
  ['OPERATORS_CREDENTIALS', { OPERATORS_CREDENTIALS: 'ada:short' }],
  ['OPERATORS_CREDENTIALS', { OPERATORS_CREDENTIALS: SECRET }],
  ['OPERATORS_CREDENTIALS', { OPERATORS_CREDENTIALS: `ada:${SECRET} ada:${SECRET}` }],
  ['OPERATORS_PORT', { OPERATORS_CREDENTIALS: `ada:${SECRET}`, OPERATORS_PORT: 'http' }],
  ['OPERATORS_LINKS', { OPERATORS_CREDENTIALS: `ada:${SECRET}`, OPERATORS_LINKS: 'Grafana' }],
  ['OPERATORS_LINKS', { OPERATORS_CREDENTIALS: `ada:${SECRET}`, OPERATORS_LINKS: 'x=javascript:alert(1)' }],
] as const) {
  test(`rejected with the name of the variable and without a secret: ${variable} of ${JSON.stringify(env)}`, () => {
    assert.throws(
      () => readOperatorsConfig(env),
      (error) =>
        error instanceof ConfigError && error.variable === variable && !error.message.includes(SECRET),
    );
  });
}
