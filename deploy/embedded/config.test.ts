import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAccountConfig } from '@audiosplit/account/config';
import type { Env } from '@audiosplit/chassis/process/env';
import { readLocalConfig } from './config.ts';
import { settleListenAddress } from './listen-address.ts';

const WRONG_VALUES: readonly (readonly [variable: string, value: string, allowed: RegExp])[] = [
  ['PORT', 'eighty', /0 to 65535/],
  ['PORT', '65536', /0 to 65535/],
  ['PORT', '-1', /0 to 65535/],
  ['EGRESS_ALLOW_CIDRS', '10.0.0.0', /10\.0\.0\.0\/8/],
  ['EGRESS_ALLOW_CIDRS', '10.0.0.0/33', /10\.0\.0\.0\/8/],
  ['DATABASE_URL', 'mysql://localhost/db', /postgres:/],
  ['REDIS_URL', 'http://localhost', /redis:/],
  ['KAFKA_BROKERS', 'localhost', /host:port/],
  ['STORAGE_URL', 'ftp://bucket', /s3:|file:/],
  ['LOG_LEVEL', 'loud', /trace, debug, info, warn, error, silent/],
];

/** Of a service, read from the same environment. */
const WRONG_MAIL: typeof WRONG_VALUES = [
  ['SMTP_URL', 'http://localhost', /smtp:/],
  ['MAIL_FROM', 'no address', /name@example\.com/],
  ['MAIL_DIR', 'mail', /absolute/],
];
const OTHERS = {
  PUBLIC_BASE_URL: 'http://localhost',
  DOWNLOAD_SECRET: 'a secret of more than thirty-two bytes',
};

const readLocal = (env: Env) => readLocalConfig(env, '/');
const readMail = (env: Env) => readAccountConfig({ ...OTHERS, MAIL_DIR: '/mail', ...env });

for (const [variable, value, allowed] of [...WRONG_VALUES, ...WRONG_MAIL]) {
  const read = WRONG_MAIL.some(([each]) => each === variable) ? readMail : readLocal;
  test(`${variable}=${value} is rejected with name, value and allowed values`, () => {
    assert.throws(
      () => read({ [variable]: value }),
      (error: Error) => names(error, variable, value) && allowed.test(error.message),
    );
  });
}

test('a HOST that is not an address of this machine is rejected with name, value and allowed values', async () => {
  const host = '203.0.113.7';
  await assert.rejects(
    settleListenAddress(host, 0),
    (error: Error) => names(error, 'HOST', host) && /127\.0\.0\.1/.test(error.message),
  );
});

/** In one line. */
function names({ message }: Error, variable: string, value: string): boolean {
  return [variable, value].every((text) => message.includes(text)) && !message.includes('\n');
}
