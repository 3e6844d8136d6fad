import { type Env, integer } from '@audiosplit/chassis/env';

export interface AccountConfig {
  readonly maxDatabaseConnections: number;
}

/** Variables: DATABASE_CONNECTIONS. Throws ConfigError. */
export function readAccountConfig(env: Env): AccountConfig {
  return { maxDatabaseConnections: integer(env, 'DATABASE_CONNECTIONS', 10, 4, 200) };
}
