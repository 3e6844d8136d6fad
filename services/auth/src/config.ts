import { type Env, integer, MIN_SECRET_BYTES, secret, text } from '@audiosplit/chassis/process/env';

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

/**
 * Variables: AUTH_SECRET, JWT_ISSUER, JWT_AUDIENCE, ARGON2_MEMORY_KIB, ARGON2_ITERATIONS,
 * DATABASE_MAX_CONNECTIONS. Throws ConfigError.
 */
export function readAuthConfig(env: Env): AuthConfig {
  return {
    secret: secret(env, 'AUTH_SECRET', MIN_SECRET_BYTES),
    issuer: text(env, 'JWT_ISSUER', 'audiosplit'),
    audience: text(env, 'JWT_AUDIENCE', 'audiosplit'),
    // OWASP's Password Storage Cheat Sheet: argon2id with 19 MiB, two passes and one lane. It lists pairs of equal
    // strength from 46 MiB with one pass to 7 MiB with five.
    passwordHashing: {
      memoryKib: integer(env, 'ARGON2_MEMORY_KIB', 19_456, 7_168, 1_048_576),
      iterations: integer(env, 'ARGON2_ITERATIONS', 2, 1, 20),
    },
    maxDatabaseConnections: integer(env, 'DATABASE_MAX_CONNECTIONS', 10, 4, 200),
  };
}
