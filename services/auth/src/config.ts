import { availableParallelism } from 'node:os';
import type { Env } from '@audiosplit/chassis/process/env';
import { maxDatabaseConnections } from '@audiosplit/chassis/process/process-config';
import { integer, isSet, oneOf, readSettings, secret, text } from '@audiosplit/chassis/process/settings';

export const SETTINGS = {
  DATABASE_MAX_CONNECTIONS: maxDatabaseConnections(4),
  AUTH_SECRET: secret({
    what: 'encrypts the keys that sign access tokens and the secrets of second factors; the same in every replica',
    chart: 'secrets.auth',
  }),
  JWT_ISSUER: text({
    what: '`iss` of the access tokens that auth signs',
    default: 'audiosplit',
    chart: 'tokens.issuer',
  }),
  JWT_AUDIENCE: text({
    what: '`aud` of the access tokens that auth signs',
    default: 'audiosplit',
    chart: 'tokens.audience',
  }),
  // OWASP's Password Storage Cheat Sheet: argon2id with 19 MiB, two passes and one lane. It lists pairs of equal
  // strength from 46 MiB with one pass to 7 MiB with five.
  ARGON2_MEMORY_KIB: integer({
    what: 'memory for one hash of a password, in KiB',
    default: 19_456,
    min: 7_168,
    max: 1_048_576,
    chart: 'auth.passwordHashing.memoryKib',
  }),
  ARGON2_ITERATIONS: integer({
    what: 'passes over that memory',
    default: 2,
    min: 1,
    max: 20,
    chart: 'auth.passwordHashing.iterations',
  }),
  PASSWORD_HASHES: integer({
    what: 'passwords that a replica hashes at the same time, one for each caller (IPv4 address, IPv6 /64)',
    default: Math.max(1, Math.floor(availableParallelism() / 2)),
    shownDefault: 'half of the CPUs',
    min: 1,
    max: 256,
    bound: {
      beyond: 'waits for 3 s, then 503 `SERVICE_UNAVAILABLE`',
      metric: '`audiosplit_auth_password_hashes`',
    },
  }),
  WRONG_PASSWORDS_PER_PAIR: integer({
    what: 'wrong passwords in 15 minutes by one caller (IPv4 address, IPv6 /64) for one address, before it must wait for that address',
    default: 10,
    min: 1,
    max: 1_000,
    bound: { beyond: '429 `RATE_LIMITED`', metric: '`audiosplit_sign_in_refusals_total`' },
  }),
  WRONG_PASSWORDS_PER_CALLER: integer({
    what: 'wrong passwords in 15 minutes by one caller for any addresses, before it must wait',
    default: 100,
    min: 1,
    max: 1_000,
    bound: { beyond: '429 `RATE_LIMITED`', metric: '`audiosplit_sign_in_refusals_total`' },
  }),
  WRONG_PASSWORDS_PER_ADDRESS: integer({
    what:
      'wrong passwords in 15 minutes for one address by all callers that it does not know, before these need a link that is ' +
      'mailed to it',
    default: 100,
    min: 1,
    max: 1_000,
    bound: { beyond: '403 `SIGN_IN_LINK_SENT`', metric: '`audiosplit_sign_in_refusals_total`' },
  }),
  WRONG_CODES_PER_ACCOUNT: integer({
    what: 'wrong codes of the second factor in 15 minutes for one account, before it must wait',
    default: 10,
    min: 1,
    max: 1_000,
    bound: { beyond: '429 `RATE_LIMITED`', metric: '`audiosplit_sign_in_refusals_total`' },
  }),
  EMAIL_CHANGES_PER_HOUR: integer({
    what: 'requests of an account to change its mail address in an hour',
    default: 5,
    min: 1,
    max: 1_000,
    bound: { beyond: '429 `RATE_LIMITED`', metric: '`audiosplit_sign_in_refusals_total`' },
  }),
  REQUIRE_VERIFIED_EMAIL: oneOf(['true', 'false'], {
    what: 'whether accounts whose mail address is not verified may create no jobs; mail must reach their holders then',
    shownDefault: '`true` where `SMTP_URL` is set',
    chart: 'mail.requireVerifiedEmail',
  }),
  REGISTRATIONS_PER_HOUR: integer({
    what: 'accounts that one caller opens in an hour; 0: unbounded',
    default: 5,
    min: 0,
    max: 1_000,
    bound: { beyond: '429 `RATE_LIMITED`', metric: '`audiosplit_sign_in_refusals_total`' },
  }),
};

export interface PasswordHashing {
  readonly memoryKib: number;
  readonly iterations: number;
  /** Passwords that are hashed at the same time. */
  readonly concurrency: number;
}

/** Counts within 15 minutes unless the name says otherwise. */
export interface SignInBounds {
  readonly wrongPasswordsPerPair: number;
  readonly wrongPasswordsPerCaller: number;
  readonly wrongPasswordsPerAddress: number;
  /** 0: unbounded. */
  readonly registrationsPerHour: number;
  readonly emailChangesPerHour: number;
  readonly wrongCodesPerAccount: number;
}

export interface AuthConfig {
  /** Encrypts the signing keys at rest. Must be the same in every replica. */
  readonly secret: string;
  /** `iss` of access tokens. */
  readonly issuer: string;
  /** `aud` of access tokens. */
  readonly audience: string;
  readonly passwordHashing: PasswordHashing;
  readonly signInBounds: SignInBounds;
  /** Whether accounts must verify their address before they create jobs. */
  readonly requireVerifiedEmail: boolean;
  readonly maxDatabaseConnections: number;
}

/** Throws ConfigError. */
export function readAuthConfig(env: Env): AuthConfig {
  const values = readSettings(SETTINGS, env);
  return {
    secret: values.AUTH_SECRET,
    issuer: values.JWT_ISSUER,
    audience: values.JWT_AUDIENCE,
    passwordHashing: {
      memoryKib: values.ARGON2_MEMORY_KIB,
      iterations: values.ARGON2_ITERATIONS,
      concurrency: values.PASSWORD_HASHES,
    },
    signInBounds: {
      wrongPasswordsPerPair: values.WRONG_PASSWORDS_PER_PAIR,
      wrongPasswordsPerCaller: values.WRONG_PASSWORDS_PER_CALLER,
      wrongPasswordsPerAddress: values.WRONG_PASSWORDS_PER_ADDRESS,
      registrationsPerHour: values.REGISTRATIONS_PER_HOUR,
      emailChangesPerHour: values.EMAIL_CHANGES_PER_HOUR,
      wrongCodesPerAccount: values.WRONG_CODES_PER_ACCOUNT,
    },
    requireVerifiedEmail: (values.REQUIRE_VERIFIED_EMAIL ?? String(isSet(env, 'SMTP_URL'))) === 'true',
    maxDatabaseConnections: values.DATABASE_MAX_CONNECTIONS,
  };
}
