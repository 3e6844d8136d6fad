import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConfigError, type Env } from '@audiosplit/chassis/process/env';
import { readAccountConfig } from './config.ts';

const BASE: Env = { PUBLIC_BASE_URL: 'https://audio.example/' };
const read = (env: Env) => readAccountConfig({ ...BASE, ...env });
const from = { name: '', address: 'no-reply@audio.example' };

describe('configuration of the account service', () => {
  // Covers D-6.15
  it('writes mail into a folder, with a local sender', () => {
    assert.deepEqual(read({ MAIL_DIR: '/data/mail' }), {
      maxDatabaseConnections: 10,
      mail: {
        kind: 'folder',
        directory: '/data/mail',
        from: { name: 'audiosplit', address: 'no-reply@localhost' },
      },
      publicBaseUrl: 'https://audio.example',
    });
  });

  // Covers D-6.14
  it('sends mail by SMTP, which takes precedence over a folder', () => {
    const { mail } = read({
      MAIL_DIR: '/data/mail',
      SMTP_URL: 'smtp://ada:p%40ss@mail.example',
      MAIL_FROM: 'Audio Split <no-reply@audio.example>',
    });
    assert.deepEqual(mail, {
      kind: 'smtp',
      host: 'mail.example',
      port: 587,
      tls: false,
      credentials: { user: 'ada', password: 'p@ss' },
      from: { name: 'Audio Split', address: 'no-reply@audio.example' },
    });
  });

  for (const [url, expected] of [
    ['smtp://mail.example:2525', { host: 'mail.example', port: 2525, tls: false }],
    ['smtps://mail.example', { host: 'mail.example', port: 465, tls: true }],
    ['smtp://[::1]:25', { host: '::1', port: 25, tls: false }],
  ] as const) {
    it(`reads ${url}`, () => {
      const { mail } = read({ SMTP_URL: url, MAIL_FROM: from.address });
      assert.deepEqual(mail, { kind: 'smtp', ...expected, credentials: undefined, from });
    });
  }

  for (const [variable, env] of [
    ['SMTP_URL', {}],
    ['SMTP_URL', { SMTP_URL: 'http://mail.example' }],
    ['SMTP_URL', { SMTP_URL: 'mail.example:25' }],
    ['SMTP_URL', { SMTP_URL: 'smtp://', MAIL_FROM: from.address }],
    ['SMTP_URL', { SMTP_URL: 'smtp://mail.example/inbox', MAIL_FROM: from.address }],
    ['SMTP_URL', { SMTP_URL: 'smtp://mail.example?pool=true', MAIL_FROM: from.address }],
    ['SMTP_URL', { SMTP_URL: 'smtp://ada@mail.example', MAIL_FROM: from.address }],
    ['MAIL_FROM', { SMTP_URL: 'smtp://mail.example' }],
    ['MAIL_FROM', { MAIL_DIR: '/mail', MAIL_FROM: 'nobody' }],
    ['MAIL_FROM', { MAIL_DIR: '/mail', MAIL_FROM: 'a@example.com, b@example.com' }],
    ['MAIL_FROM', { MAIL_DIR: '/mail', MAIL_FROM: 'A\r\nBcc: b@example.com <a@example.com>' }],
    ['MAIL_DIR', { MAIL_DIR: 'mail' }],
    ['PUBLIC_BASE_URL', { MAIL_DIR: '/mail', PUBLIC_BASE_URL: '' }],
    ['DATABASE_MAX_CONNECTIONS', { MAIL_DIR: '/mail', DATABASE_MAX_CONNECTIONS: '0' }],
  ] as const) {
    it(`names ${variable} for ${JSON.stringify(env)}`, () => {
      assert.throws(
        () => read(env),
        (error) =>
          error instanceof ConfigError && error.variable === variable && !error.message.includes('\n'),
      );
    });
  }

  for (const url of [
    'smtp://ada:hunter2@mail.example/inbox',
    // Parsed as a port and a path.
    'smtp://ada:25/hunter2@mail.example',
    'smtp://ada:hunter2/@mail.example',
  ]) {
    it(`does not show the password of ${url}`, () => {
      assert.throws(
        () => read({ SMTP_URL: url, MAIL_FROM: from.address }),
        (error) => error instanceof ConfigError && !error.message.includes('hunter2'),
      );
    });
  }
});
