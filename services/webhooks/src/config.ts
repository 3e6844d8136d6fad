import type { EgressPolicy } from '@audiosplit/chassis/egress/egress';
import { EGRESS_ALLOW_CIDRS } from '@audiosplit/chassis/egress/egress-settings';
import type { Env } from '@audiosplit/chassis/process/env';
import { maxDatabaseConnections } from '@audiosplit/chassis/process/process-config';
import { readSettings, secret } from '@audiosplit/chassis/process/settings';

export const SETTINGS = {
  // One connection always listens for due work.
  DATABASE_MAX_CONNECTIONS: maxDatabaseConnections(3),
  EGRESS_ALLOW_CIDRS,
  WEBHOOKS_SECRET: secret({
    what: 'encrypts the signing secrets of accounts; the same in every replica',
    chart: 'secrets.webhooks',
  }),
};

export interface WebhooksConfig {
  readonly maxDatabaseConnections: number;
  readonly egress: EgressPolicy;
  /** Encrypts the accounts' signing secrets at rest; the same in every replica. */
  readonly secret: string;
}

/** Throws ConfigError. */
export function readWebhooksConfig(env: Env): WebhooksConfig {
  const values = readSettings(SETTINGS, env);
  return {
    maxDatabaseConnections: values.DATABASE_MAX_CONNECTIONS,
    egress: {
      allowCidrs: values.EGRESS_ALLOW_CIDRS,
      allowUrlPrefixes: [],
      plainHttp: 'allowed-cidrs-only',
    },
    secret: values.WEBHOOKS_SECRET,
  };
}
