import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { describe, it } from 'node:test';
import { ConfigError } from '@audiosplit/chassis/process/env';
import { readAuthConfig } from './config.ts';

const AUTH_SECRET = 'x'.repeat(32);

describe('the configuration of auth', () => {
  it('only needs the secret', () => {
    assert.deepEqual(readAuthConfig({ AUTH_SECRET }), {
      secret: AUTH_SECRET,
      issuer: 'audiosplit',
      audience: 'audiosplit',
      passwordHashing: {
        memoryKib: 19_456,
        iterations: 2,
        concurrency: Math.max(1, Math.floor(availableParallelism() / 2)),
      },
      signInBounds: {
        wrongPasswordsPerPair: 10,
        wrongPasswordsPerCaller: 100,
        wrongPasswordsPerAddress: 100,
        registrationsPerHour: 5,
        emailChangesPerHour: 5,
        wrongCodesPerAccount: 10,
      },
      requireVerifiedEmail: false,
      maxDatabaseConnections: 10,
    });
  });

  for (const [env, expected] of [
    [{ SMTP_URL: 'smtp://mail.example.com' }, true],
    [{ SMTP_URL: 'smtp://mail.example.com', REQUIRE_VERIFIED_EMAIL: 'false' }, false],
    [{ REQUIRE_VERIFIED_EMAIL: 'true' }, true],
  ] as const) {
    it(`requires verified addresses if SMTP is configured, or as the setting says: ${JSON.stringify(env)}`, () => {
      assert.equal(readAuthConfig({ AUTH_SECRET, ...env }).requireVerifiedEmail, expected);
    });
  }

  for (const [variable, value] of [
    ['AUTH_SECRET', 'x'.repeat(31)],
    ['ARGON2_MEMORY_KIB', '4096'],
    ['ARGON2_ITERATIONS', '0'],
    ['WRONG_PASSWORDS_PER_PAIR', '0'],
    ['REGISTRATIONS_PER_HOUR', '-1'],
    ['EMAIL_CHANGES_PER_HOUR', '0'],
    ['REQUIRE_VERIFIED_EMAIL', 'maybe'],
    ['DATABASE_MAX_CONNECTIONS', 'many'],
  ] as const) {
    it(`rejects ${variable}=${value}`, () => {
      assert.throws(
        () => readAuthConfig({ AUTH_SECRET, [variable]: value }),
        (error) => error instanceof ConfigError && error.variable === variable,
      );
    });
  }
});
