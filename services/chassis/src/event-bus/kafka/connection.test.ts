import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, type Env } from '../../process/env.ts';
import { readKafkaConnection } from './connection.ts';

const BROKERS = { KAFKA_BROKERS: 'a:9092, b:9093' };
const LOGIN = { KAFKA_SASL_USERNAME: 'ada', KAFKA_SASL_PASSWORD: 'hunter2' };
const SECURE = { ...BROKERS, KAFKA_TLS: 'true' };

test('plain text is the default, and brokers are required', () => {
  assert.equal(readKafkaConnection({ KAFKA_TLS: 'false', KAFKA_SASL_MECHANISM: 'none' }), undefined);
  assert.deepEqual(readKafkaConnection(BROKERS), {
    brokers: ['a:9092', 'b:9093'],
    security: { ssl: false },
  });
});

test('TLS and each login mechanism are configured', () => {
  assert.deepEqual(readKafkaConnection(SECURE)?.security, { ssl: true });
  for (const mechanism of ['plain', 'scram-sha-256', 'scram-sha-512']) {
    assert.deepEqual(
      readKafkaConnection({ ...SECURE, ...LOGIN, KAFKA_SASL_MECHANISM: mechanism })?.security,
      { ssl: true, sasl: { mechanism, username: 'ada', password: 'hunter2' } },
    );
  }
});

test('a login over plain text is allowed on this machine, elsewhere only on a private network', () => {
  const login = { ...LOGIN, KAFKA_SASL_MECHANISM: 'plain' };
  const at = (brokers: string) => readKafkaConnection({ ...login, KAFKA_BROKERS: brokers });
  const sasl = { mechanism: 'plain', username: 'ada', password: 'hunter2' };
  for (const brokers of ['127.0.0.1:9092', 'localhost:9092,127.0.0.2:9093'])
    assert.deepEqual(at(brokers)?.security, { ssl: false, sasl });
  for (const brokers of [
    '127.0.0.1:9092,b:9093',
    '127.0.0.1.example:9092',
    'localhost.example:9092',
    '10.0.0.1:9092',
  ])
    assert.throws(() => at(brokers), ConfigError, brokers);
  const isPrivate = { KAFKA_SASL_WITHOUT_TLS: 'true' };
  assert.deepEqual(readKafkaConnection({ ...BROKERS, ...login, ...isPrivate })?.security, {
    ssl: false,
    sasl,
  });
});

for (const [what, env, variable, allowed] of [
  [
    'an unknown mechanism',
    { ...SECURE, ...LOGIN, KAFKA_SASL_MECHANISM: 'gssapi' },
    'KAFKA_SASL_MECHANISM',
    /scram-sha-512/,
  ],
  [
    'a login without a mechanism',
    { ...SECURE, ...LOGIN },
    'KAFKA_SASL_MECHANISM',
    /KAFKA_SASL_USERNAME is set/,
  ],
  [
    'only a password',
    { ...SECURE, KAFKA_SASL_PASSWORD: 'hunter2' },
    'KAFKA_SASL_MECHANISM',
    /KAFKA_SASL_PASSWORD is set/,
  ],
  [
    'no name',
    { ...SECURE, KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_PASSWORD: 'hunter2' },
    'KAFKA_SASL_USERNAME',
    /a name, for KAFKA_SASL_MECHANISM/,
  ],
  [
    'no password',
    { ...SECURE, KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_USERNAME: 'ada' },
    'KAFKA_SASL_PASSWORD',
    /a password, for KAFKA_SASL_MECHANISM/,
  ],
  [
    'a login over plain text',
    { ...BROKERS, ...LOGIN, KAFKA_SASL_MECHANISM: 'scram-sha-512' },
    'KAFKA_SASL_MECHANISM',
    /KAFKA_TLS=true/,
  ],
  ['TLS without brokers', { KAFKA_TLS: 'true' }, 'KAFKA_BROKERS', /KAFKA_TLS/],
  ['a value that is neither true nor false', { ...BROKERS, KAFKA_TLS: 'yes' }, 'KAFKA_TLS', /true, false/],
] as const satisfies readonly (readonly [string, Env, string, RegExp])[]) {
  test(`${what} is rejected, the error names the setting, and shows no password`, () => {
    assert.throws(
      () => readKafkaConnection(env),
      (error) => {
        assert.ok(error instanceof ConfigError);
        assert.equal(error.variable, variable);
        assert.match(error.message, allowed);
        assert.doesNotMatch(error.message, /hunter2/);
        return true;
      },
    );
  });
}
