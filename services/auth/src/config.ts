import type { Env } from '@audiosplit/chassis/process/env';
import { maxDatabaseConnections } from '@audiosplit/chassis/process/process-config';
import { integer, readSettings, secret, text } from '@audiosplit/chassis/process/settings';

export const SETTINGS = {
  DATABASE_MAX_CONNECTIONS: maxDatabaseConnections(4),
  AUTH_SECRET: secret({
    what: 'encrypts the keys that sign access tokens; the same in every replica',
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
};

export interface PasswordHashing {
  readonly memoryKib: number;
  readonly iterations: number;
}

export interface AuthConfig {
  /** Encrypts the signing keys at rest. Must be the same in every replica. */
  readonly secret: string;
  /** `iss` of access tokens. */
  readonly issuer: string;
  /** `aud` of access tokens. */
  readonly audience: string;
  readonly passwordHashing: PasswordHashing;
  readonly maxDatabaseConnections: number;
}

/** Throws ConfigError. */
export function readAuthConfig(env: Env): AuthConfig {
  const values = readSettings(SETTINGS, env);
  return {
    secret: values.AUTH_SECRET,
    issuer: values.JWT_ISSUER,
    audience: values.JWT_AUDIENCE,
    passwordHashing: { memoryKib: values.ARGON2_MEMORY_KIB, iterations: values.ARGON2_ITERATIONS },
    maxDatabaseConnections: values.DATABASE_MAX_CONNECTIONS,
  };
}
