/** What adversaries know of the product under attack. */
import { type Account, openAccount } from '../harness/accounts/open-account.ts';

export interface Target {
  readonly baseUrl: string;
  /** Ends in a slash. */
  readonly samplesUrl: string;
  /** Of the account beside them. */
  readonly innocentEmail: string;
  /** Port of the name server that the product asks. */
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

/** The address is one of 198.18.0.0/15, which is for measurements (RFC 2544). */
export function addressOf(number: number): string {
  return `198.${18 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`;
}

/** Accounts that have nothing in common but their intention. */
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
