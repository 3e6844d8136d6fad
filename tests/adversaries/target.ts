/** What adversaries need of the attacked product. */
import { type Account, openAccount } from '../harness/accounts/open-account.ts';

export interface Target {
  readonly baseUrl: string;
  /** Ends in a slash. */
  readonly samplesUrl: string;
  /** Of the innocent account. */
  readonly innocentEmail: string;
  /** The port of the name server that the product uses. */
  readonly nameServerPort: number;
}

type Plan = 'plan_free' | 'plan_starter' | 'plan_pro';

/** A fetch whose requests come from this address, for a product that trusts the header. */
export function fetchFrom(address: string): typeof fetch {
  return (url, init) => {
    const headers = new Headers(init?.headers);
    headers.set('x-forwarded-for', address);
    return fetch(url, { ...init, headers });
  };
}

/** The address is in 198.18.0.0/15, which is reserved for measurements (RFC 2544). */
export function addressOf(number: number): string {
  return `198.${18 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`;
}

/** Accounts that are unrelated except for their purpose. */
export function openAccounts(
  { baseUrl }: Pick<Target, 'baseUrl'>,
  count: number,
  plan: Plan = 'plan_pro',
): Promise<readonly Account[]> {
  const opening = Array.from({ length: count }, () => {
    const address = addressOf(Math.floor(Math.random() * 2 ** 17));
    const subscribed = plan === 'plan_free' ? {} : { plan };
    return openAccount(baseUrl, { ...subscribed, fetch: fetchFrom(address) });
  });
  return Promise.all(opening);
}
