import { isIP } from 'node:net';
import { EgressError } from './egress.ts';
import type { AddressRules } from './egress-policy.ts';
import type { EgressTarget } from './egress-url.ts';

/** All addresses of a name, in the order to try them. Rejects when the name has none. */
export type ResolveName = (hostname: string) => Promise<readonly string[]>;

/**
 * The addresses that may be dialled for the target: all of the answer or none. A name that mixes public and
 * forbidden addresses tries to reach a forbidden one by chance. Throws EgressError `forbidden-address`,
 * `name-not-resolved`.
 */
export async function resolveTarget(
  target: EgressTarget,
  rules: AddressRules,
  resolve: ResolveName,
): Promise<readonly string[]> {
  const addresses = await addressesOf(target.hostname, resolve);
  if (rules.isUrlAllowed(target.url)) return addresses;
  if (!addresses.every((address) => rules.isAddressAllowed(address))) {
    // The message omits the addresses: callers see it and must not learn our internal addresses.
    throw new EgressError('forbidden-address', `The host ${target.hostname} is not at a public address.`);
  }
  if (!target.isTls && !addresses.every((address) => rules.isPlainHttpAllowed(address))) {
    throw new EgressError('forbidden-address', `The host ${target.hostname} is reached by https only.`);
  }
  return addresses;
}

/** The address of a host that needs no look-up. */
export function ownAddressOf(hostname: string): string | undefined {
  if (isIP(hostname) !== 0) return hostname;
  // RFC 6761, section 6.3: these names are always loopback and are never sent to a resolver.
  return /^(?:.+\.)?localhost$/.test(hostname) ? '127.0.0.1' : undefined;
}

async function addressesOf(hostname: string, resolve: ResolveName): Promise<readonly string[]> {
  const own = ownAddressOf(hostname);
  if (own !== undefined) return [own];
  let addresses: readonly string[];
  try {
    addresses = await resolve(hostname);
  } catch (cause) {
    throw new EgressError('name-not-resolved', `The host ${hostname} cannot be resolved.`, { cause });
  }
  if (addresses.length === 0) {
    throw new EgressError('name-not-resolved', `The host ${hostname} has no address.`);
  }
  return addresses;
}
