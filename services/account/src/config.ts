import { type Env, integer } from '@audiosplit/chassis/env';

export interface AccountConfig {
  readonly maxDatabaseConnections: number;
}

/** Variables: DATABASE_MAX_CONNECTIONS. Throws ConfigError. */
export function readAccountConfig(env: Env): AccountConfig {
  return { maxDatabaseConnections: integer(env, 'DATABASE_MAX_CONNECTIONS', 10, 4, 200) };
}
