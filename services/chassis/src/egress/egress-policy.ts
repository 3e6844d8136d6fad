import ipaddr from 'ipaddr.js';
import { type Cidr, classifyAddress, isInCidr, parseAddress } from './classify-address.ts';
import type { EgressPolicy } from './egress.ts';

/** The operator's policy cannot be read; raised at start, never per request. */
export class EgressPolicyError extends Error {
  override readonly name = 'EgressPolicyError';
}

/** A parsed policy. */
export interface AddressRules {
  /** Whether the address is public or inside one of the allowed blocks. */
  isAddressAllowed(address: string): boolean;
  /** Whether an allowed address may be reached without TLS. */
  isPlainHttpAllowed(address: string): boolean;
  /** Whether the URL is under one of the allowed prefixes; the host's address does not matter then. */
  isUrlAllowed(url: URL): boolean;
}

/** Throws EgressPolicyError for a malformed block or prefix. */
export function parseEgressPolicy(policy: EgressPolicy): AddressRules {
  const cidrs = policy.allowCidrs.map(parseCidr);
  const prefixes = policy.allowUrlPrefixes.map(parsePrefix);
  const isInAllowedCidrs = (address: string) => {
    const parsed = parseAddress(address);
    return parsed !== undefined && cidrs.some((cidr) => isInCidr(parsed, cidr));
  };
  return {
    isAddressAllowed: (address) => classifyAddress(address) === 'public' || isInAllowedCidrs(address),
    isPlainHttpAllowed: (address) => policy.plainHttp !== 'allowed-cidrs-only' || isInAllowedCidrs(address),
    isUrlAllowed: (url) => prefixes.some((prefix) => isUnderPrefix(url, prefix)),
  };
}

function parseCidr(text: string): Cidr {
  const [address = '', bits, ...rest] = text.split('/');
  const first = parseAddress(address);
  const maxBits = first?.kind() === 'ipv4' ? 32 : 128;
  if (first === undefined || bits === undefined || rest.length > 0 || !/^\d{1,3}$/.test(bits)) {
    throw new EgressPolicyError(`"${text}" is not an address block such as 10.1.0.0/16 or fd00:1::/32.`);
  }
  const prefixBits = Number(bits);
  if (prefixBits > maxBits) {
    throw new EgressPolicyError(`"${text}" fixes more bits than its address has.`);
  }
  const network =
    first.kind() === 'ipv4'
      ? ipaddr.IPv4.networkAddressFromCIDR(text)
      : ipaddr.IPv6.networkAddressFromCIDR(text);
  // A block with host bits set is nearly always a mistake that allows more than intended.
  if (network.toNormalizedString() !== first.toNormalizedString()) {
    throw new EgressPolicyError(`"${text}" has bits set after its prefix: did you mean ${network}/${bits}?`);
  }
  return [first, prefixBits];
}

function parsePrefix(text: string): URL {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new EgressPolicyError(`"${text}" is not an absolute http or https URL.`);
  }
  if (url.username !== '' || url.password !== '' || /[?#]/.test(text)) {
    throw new EgressPolicyError(
      `"${text}" must be an origin and a path, without credentials, query or fragment.`,
    );
  }
  if (hasAmbiguousPath(url.pathname)) {
    throw new EgressPolicyError(`"${text}" has an encoded separator, dot or percent sign in its path.`);
  }
  return url;
}

/** The URL parser has normalised both: `..`, `%2e%2e`, `\` and default ports are resolved. */
function isUnderPrefix(url: URL, prefix: URL): boolean {
  if (url.origin !== prefix.origin || hasAmbiguousPath(url.pathname)) return false;
  const folder = prefix.pathname.endsWith('/') ? prefix.pathname : `${prefix.pathname}/`;
  return url.pathname === prefix.pathname || url.pathname.startsWith(folder);
}

/**
 * Forms that the URL parser leaves alone but a server may decode into another path: an encoded slash,
 * backslash, dot, percent sign or control character, and dot segments that carry a `;` parameter.
 */
function hasAmbiguousPath(pathname: string): boolean {
  return /%(?:2[ef5]|5c|[01][0-9a-f]|7f)|\/\.{1,2};/i.test(pathname);
}
