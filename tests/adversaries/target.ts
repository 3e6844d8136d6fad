/** What adversaries need of the attacked product. */
import { Agent } from 'undici';
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

const agents = new Map<string, Agent>();
/** Node's types are of an earlier undici. */
type NodeDispatcher = NonNullable<RequestInit['dispatcher']>;

/** A fetch whose connections come from this address of the machine's own network, 127.0.0.0/8. */
export function fetchFrom(localAddress: string): typeof fetch {
  const dispatcher = agents.get(localAddress) ?? new Agent({ localAddress });
  agents.set(localAddress, dispatcher);
  return (url, init) => fetch(url, { ...init, dispatcher: dispatcher as unknown as NodeDispatcher });
}

/** One of 2 ** 17 addresses. */
export function addressOf(number: number): string {
  return `127.${18 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`;
}

export async function openOneAccount(target: Pick<Target, 'baseUrl'>): Promise<Account> {
  const [account] = await openAccounts(target, 1);
  if (account === undefined) throw new Error('an account is missing');
  return account;
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
