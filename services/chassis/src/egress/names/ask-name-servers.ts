import { Resolver } from 'node:dns/promises';

/** The addresses of a name; `ttlSeconds` is the smallest TTL of its records. */
export interface NameAnswer {
  readonly addresses: readonly string[];
  readonly ttlSeconds: number;
}

export interface Patience {
  /** Of one try. */
  readonly timeoutMs: number;
  readonly tries: number;
}

/** Other errors may not occur on a second attempt, or with another server. */
const DEFINITIVE: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/** Undefined if the name does not exist or has no address. Rejects if no server answered. */
export async function askNameServers(
  hostname: string,
  servers: readonly string[],
  { timeoutMs, tries }: Patience,
): Promise<NameAnswer | undefined> {
  let failure: unknown;
  for (let attempt = 0; attempt < tries; attempt++) {
    try {
      return await queryOnce(hostname, servers[attempt % servers.length], timeoutMs);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/**
 * Queries both families. Each query has a resolver of its own, so that its wait can be cancelled and its port
 * is unpredictable.
 */
async function queryOnce(
  hostname: string,
  server: string | undefined,
  timeoutMs: number,
): Promise<NameAnswer | undefined> {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 1 });
  if (server !== undefined) resolver.setServers([server]);
  // c-ares exceeds its own timeout when an answer is truncated and queried again over TCP.
  const limit = setTimeout(() => resolver.cancel(), timeoutMs);
  const [v4, v6] = await Promise.allSettled([
    resolver.resolve4(hostname, { ttl: true }),
    resolver.resolve6(hostname, { ttl: true }),
  ]);
  clearTimeout(limit);
  const records = [v4, v6].flatMap((family) => (family.status === 'fulfilled' ? family.value : []));
  if (records.length > 0) {
    return {
      addresses: records.map(({ address }) => address),
      ttlSeconds: Math.min(...records.map(({ ttl }) => ttl)),
    };
  }
  for (const family of [v4, v6]) {
    if (family.status === 'rejected' && !DEFINITIVE.has(family.reason.code)) throw family.reason;
  }
  return undefined;
}
