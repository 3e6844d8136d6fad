import { isIPv6 } from 'node:net';

/**
 * The network by which a caller without a credential is counted: its IPv4 address, or its IPv6 /64.
 * An IPv6 client can use any address of its /64 (RFC 6177). On a dual-stack socket an IPv4 client appears as `::ffff:`
 * and its address.
 */
export function networkOf(clientIp: string): string {
  const ip = clientIp.replace(/^::ffff:(?=\d+\.)/i, '');
  if (!isIPv6(ip)) return ip;
  const [head = '', tail] = new URL(`http://[${ip.split('%')[0]}]`).hostname.slice(1, -1).split('::');
  const groupsOf = (part: string) => (part === '' ? [] : part.split(':'));
  const leading = groupsOf(head);
  const trailing = tail === undefined ? [] : groupsOf(tail);
  const elided = new Array<string>(8 - leading.length - trailing.length).fill('0');
  return `${[...leading, ...elided, ...trailing].slice(0, 4).join(':')}::/64`;
}

/** Of a refusal that a gateway sends to its proxy: the caller's address floods. */
export const FLOOD_HEADER = 'x-address-floods';
