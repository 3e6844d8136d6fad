/**
 * The permissions of each process at each engine. Kafka's ACLs, Redis' ACL users and the bucket's policy are
 * generated from this table; in PostgreSQL each service's role owns its own schema and nothing else
 * (docs/decisions/0005).
 */
import { deadLetterDeclarations } from '@audiosplit/chassis/event-bus/dead-letters';
import { hmacSha256 } from '@audiosplit/chassis/secrets/hmac';
import type { Process } from '@audiosplit/proto/callers';
import { TOPICS } from '@audiosplit/proto/topics';

/**
 * The operators' console signs in to the bus only, as an administrator, because it moves dead letters of
 * every topic.
 */
export type EngineUser = Exclude<Process, 'operator'>;

/** The key patterns of objects in the bucket; `*` is an account. */
export const OBJECTS = {
  segments: 'jobs/',
  uploads: 'uploads/',
  invoices: 'accounts/*/invoices/',
  exports: 'accounts/*/exports/',
} as const;
type ObjectPrefix = (typeof OBJECTS)[keyof typeof OBJECTS];

interface StorageAccess {
  readonly read?: readonly ObjectPrefix[];
  readonly write?: readonly ObjectPrefix[];
  readonly delete?: readonly ObjectPrefix[];
  /**
   * `all`: its readiness check queries the bucket (HeadBucket), and a missing object gives 404 instead of
   * 403.
   */
  readonly list?: 'all' | readonly ObjectPrefix[];
}

interface EngineAccess {
  readonly publishes?: readonly string[];
  /** The topics it consumes in the group with its name. Its dead letters and replays follow from this. */
  readonly consumes?: readonly string[];
  readonly storage?: StorageAccess;
  readonly redis?: { readonly keys: readonly string[]; readonly commands: readonly string[] };
}

const { segments, uploads, invoices, exports } = OBJECTS;

export const ENGINE_ACCESS: Readonly<Record<EngineUser, EngineAccess>> = {
  gateway: {
    storage: { read: [segments, uploads, invoices, exports], write: [uploads], list: 'all' },
    redis: {
      keys: ['audiosplit:rate:*', 'audiosplit:remembered:*', 'audiosplit:gateways'],
      commands: words(
        'ping eval evalsha time get set exists incr pexpire pexpireat zadd zcard zrem zremrangebyscore hello',
      ),
    },
  },
  auth: { publishes: [TOPICS.accounts, TOPICS.apiKeys], consumes: [TOPICS.accounts] },
  account: {
    publishes: [TOPICS.accounts],
    consumes: [TOPICS.accounts],
    storage: { read: [invoices], write: [exports], delete: [exports], list: [exports] },
  },
  billing: {
    publishes: [TOPICS.accounts],
    consumes: [TOPICS.splits, TOPICS.accounts],
    storage: { write: [invoices], delete: [invoices], list: [invoices] },
  },
  jobs: {
    publishes: [TOPICS.splitRequests, TOPICS.splits],
    consumes: [TOPICS.accounts],
    // Waveforms are stored beside the segments.
    storage: { read: [segments], write: [segments], delete: [segments, uploads], list: 'all' },
  },
  splitter: {
    consumes: [TOPICS.splitRequests],
    storage: { read: [segments, uploads], write: [segments], list: 'all' },
  },
  webhooks: { consumes: [TOPICS.splits, TOPICS.accounts] },
};

export const ENGINE_USERS = Object.keys(ENGINE_ACCESS) as readonly EngineUser[];

/** The services with a schema in PostgreSQL, in the order in which they are stopped. */
export const DATA_SERVICES = ['billing', 'auth', 'account', 'webhooks', 'jobs'] as const;
export type DataService = (typeof DATA_SERVICES)[number];

export function usesKafka(user: EngineUser): boolean {
  const { publishes = [], consumes = [] } = ENGINE_ACCESS[user];
  return publishes.length + consumes.length > 0;
}

/** The topics of the group's dead letters, and of their replays. */
export function deadLetterTopicsOf(user: EngineUser) {
  return deadLetterDeclarations(user, ENGINE_ACCESS[user].consumes ?? []);
}

/** `secret` is the engine's. */
export function passwordOf(user: EngineUser, secret: string): string {
  return hmacSha256(secret, `login of ${user}`).toString('hex');
}

function words(text: string): readonly string[] {
  return text.split(' ');
}
