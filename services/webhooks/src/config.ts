import type { EgressPolicy } from '@audiosplit/chassis/egress/egress';
import { parseEgressPolicy } from '@audiosplit/chassis/egress/egress-policy';
import { messageOf } from '@audiosplit/chassis/errors';
import {
  ConfigError,
  type Env,
  integer,
  list,
  MIN_SECRET_BYTES,
  secret,
} from '@audiosplit/chassis/process/env';

export interface WebhooksConfig {
  readonly maxDatabaseConnections: number;
  readonly egress: EgressPolicy;
  /** Encrypts the accounts' signing secrets at rest; the same in every replica. */
  readonly secret: string;
}

/** Variables: DATABASE_MAX_CONNECTIONS, EGRESS_ALLOW_CIDRS, WEBHOOKS_SECRET. Throws ConfigError. */
export function readWebhooksConfig(env: Env): WebhooksConfig {
  return {
    // One is always held to listen for due work.
    maxDatabaseConnections: integer(env, 'DATABASE_MAX_CONNECTIONS', 10, 3, 200),
    egress: readEgressPolicy(env),
    secret: secret(env, 'WEBHOOKS_SECRET', MIN_SECRET_BYTES),
  };
}

function readEgressPolicy(env: Env): EgressPolicy {
  const allowCidrs = list(env, 'EGRESS_ALLOW_CIDRS');
  const policy: EgressPolicy = { allowCidrs, allowUrlPrefixes: [], plainHttp: 'allowed-cidrs-only' };
  try {
    parseEgressPolicy(policy);
  } catch (error) {
    throw new ConfigError(
      'EGRESS_ALLOW_CIDRS',
      allowCidrs.join(','),
      `address blocks separated by commas (${messageOf(error)})`,
    );
  }
  return policy;
}
