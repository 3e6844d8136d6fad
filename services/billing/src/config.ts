import { type Env, integer } from '@audiosplit/chassis/env';

export interface BillingConfig {
  readonly maxDatabaseConnections: number;
}

/** Variables: DATABASE_MAX_CONNECTIONS. Throws ConfigError. */
export function readBillingConfig(env: Env): BillingConfig {
  return { maxDatabaseConnections: integer(env, 'DATABASE_MAX_CONNECTIONS', 10, 4, 200) };
}
