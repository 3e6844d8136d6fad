import type { EgressPolicy } from '@audiosplit/chassis/egress/egress';
import { DNS_SERVERS, EGRESS_ALLOW_CIDRS } from '@audiosplit/chassis/egress/egress-settings';
import type { Env } from '@audiosplit/chassis/process/env';
import { maxDatabaseConnections } from '@audiosplit/chassis/process/process-config';
import { integer, readSettings, secret } from '@audiosplit/chassis/process/settings';
import type { DeliveryLimits } from './delivery/deliver.ts';

export const SETTINGS = {
  // One connection always listens for due work.
  DATABASE_MAX_CONNECTIONS: maxDatabaseConnections(3),
  EGRESS_ALLOW_CIDRS,
  DNS_SERVERS,
  WEBHOOK_ATTEMPTS: integer({
    what: 'notifications that a replica sends concurrently; each waits up to 15 s for its receiver',
    default: 500,
    min: 1,
    max: 10_000,
    bound: {
      beyond: 'an account with none takes a slot from the account with the most; otherwise it waits',
      metric: '`audiosplit_webhook_attempts_in_flight`',
    },
  }),
  WEBHOOK_ATTEMPTS_PER_ACCOUNT: integer({
    what: 'of these, for one account, over all replicas',
    default: 4,
    min: 1,
    max: 100,
    bound: {
      beyond: 'it waits in the account’s own queue',
      metric: '`audiosplit_webhook_attempts_in_flight`',
    },
  }),
  WEBHOOK_ATTEMPTS_PER_HOST: integer({
    what: 'of these, for one account to one host (name and port)',
    default: 2,
    min: 1,
    max: 100,
    bound: {
      beyond: 'it waits in the account’s own queue',
      metric: '`audiosplit_webhook_attempts_in_flight`',
    },
  }),
  WEBHOOK_PENDING_PER_ACCOUNT: integer({
    what: 'notifications of one account that wait for an attempt; while a receiver is unavailable they accumulate for 27 hours',
    default: 10_000,
    min: 10,
    max: 1_000_000,
    bound: {
      beyond: 'it counts as failed without an attempt; its log entry gives the reason, and a replay sends it',
      metric: '`audiosplit_webhook_deliveries_total{outcome="refused"}`',
    },
  }),
  WEBHOOKS_SECRET: secret({
    what: 'encrypts the signing secrets of accounts; the same in every replica',
    chart: 'secrets.webhooks',
  }),
};

export interface WebhooksConfig {
  readonly maxDatabaseConnections: number;
  readonly egress: EgressPolicy;
  /** None: the system's. */
  readonly dnsServers: readonly string[];
  readonly attempts: DeliveryLimits & {
    /** In this replica. */
    readonly inFlight: number;
    readonly pendingPerAccount: number;
  };
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
    dnsServers: values.DNS_SERVERS,
    attempts: {
      inFlight: values.WEBHOOK_ATTEMPTS,
      perAccount: values.WEBHOOK_ATTEMPTS_PER_ACCOUNT,
      perHost: values.WEBHOOK_ATTEMPTS_PER_HOST,
      pendingPerAccount: values.WEBHOOK_PENDING_PER_ACCOUNT,
    },
    secret: values.WEBHOOKS_SECRET,
  };
}
