import { Resolver } from 'node:dns/promises';

/** What name servers say of a name; `ttlSeconds` is the least of its records. */
export interface NameAnswer {
  readonly addresses: readonly string[];
  readonly ttlSeconds: number;
}

export interface Patience {
  /** Of one try. */
  readonly timeoutMs: number;
  readonly tries: number;
}

/** Other answers than these may be better a second time, or from another server. */
const DEFINITIVE: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/** Undefined where there is no such name, or none with an address. Rejects where no server gave an answer. */
export async function askNameServers(
  hostname: string,
  servers: readonly string[],
  { timeoutMs, tries }: Patience,
): Promise<NameAnswer | undefined> {
  let failure: unknown;
  for (let attempt = 0; attempt < tries; attempt++) {
    try {
      return await askOnce(hostname, servers[attempt % servers.length], timeoutMs);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/** Both families. A resolver for each question: its wait can be ended, and its port cannot be foreseen. */
async function askOnce(
  hostname: string,
  server: string | undefined,
  timeoutMs: number,
): Promise<NameAnswer | undefined> {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 1 });
  if (server !== undefined) resolver.setServers([server]);
  // c-ares takes longer where an answer is cut off and asked for again by TCP.
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
