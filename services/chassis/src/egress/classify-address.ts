/**
 * Distinguishes public addresses from all others.
 *
 * An IPv4 address is public if no block of the IANA special-purpose registry covers it. An IPv6 address is
 * public if it lies in 2000::/3, the only block from which IANA assigns global unicast addresses, and in no
 * special-purpose block inside it. This rule also refuses loopback, IPv4-mapped, IPv4-compatible, NAT64,
 * link-local, unique local and multicast. Blocks the registries mark as globally reachable (AS112, AMT,
 * anycast services) are refused with the rest: no web server lives there. Every IPv6 address that embeds an
 * IPv4 address is refused, because the translator that unwraps it may sit inside our network.
 *
 * Failure modes: a NAT64 prefix that the operator chose looks like any public prefix and cannot be recognised
 * here. Text that is not the canonical form of one address is `invalid`, hence refused.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type AddressClass =
  | 'public'
  | 'invalid'
  | 'this-network'
  | 'private'
  | 'shared'
  | 'loopback'
  | 'link-local'
  | 'protocol-assignment'
  | 'documentation'
  | 'relay'
  | 'benchmarking'
  | 'multicast'
  | 'reserved'
  | 'cloud-metadata'
  | 'embeds-ipv4'
  | 'unique-local'
  | 'outside-global-unicast';

/** An address block: its first address and the number of leading bits that are fixed. */
export type Cidr = [ipaddr.IPv4 | ipaddr.IPv6, number];

type Block = readonly [cidr: Cidr, addressClass: AddressClass];

const block = (cidr: string, addressClass: AddressClass): Block => [ipaddr.parseCIDR(cidr), addressClass];

/** https://www.iana.org/assignments/iana-ipv4-special-registry, RFC 5771 for multicast. */
const IPV4_BLOCKS: readonly Block[] = [
  block('0.0.0.0/8', 'this-network'),
  block('10.0.0.0/8', 'private'),
  block('100.64.0.0/10', 'shared'),
  block('127.0.0.0/8', 'loopback'),
  block('169.254.0.0/16', 'link-local'),
  block('172.16.0.0/12', 'private'),
  block('192.0.0.0/24', 'protocol-assignment'),
  block('192.0.2.0/24', 'documentation'),
  block('192.31.196.0/24', 'relay'),
  block('192.52.193.0/24', 'relay'),
  block('192.88.99.0/24', 'relay'),
  block('192.168.0.0/16', 'private'),
  block('192.175.48.0/24', 'relay'),
  block('198.18.0.0/15', 'benchmarking'),
  block('198.51.100.0/24', 'documentation'),
  block('203.0.113.0/24', 'documentation'),
  block('224.0.0.0/4', 'multicast'),
  block('240.0.0.0/4', 'reserved'),
  // Azure's platform endpoint: a public address by registry, answered by the host of the virtual machine.
  block('168.63.129.16/32', 'cloud-metadata'),
];

/** https://www.iana.org/assignments/iana-ipv6-special-registry; the first match names the class. */
const IPV6_BLOCKS: readonly Block[] = [
  block('::/128', 'this-network'),
  block('::1/128', 'loopback'),
  block('::/96', 'embeds-ipv4'),
  block('::ffff:0:0/96', 'embeds-ipv4'),
  block('::ffff:0:0:0/96', 'embeds-ipv4'),
  block('64:ff9b::/96', 'embeds-ipv4'),
  block('64:ff9b:1::/48', 'embeds-ipv4'),
  block('2001::/32', 'embeds-ipv4'),
  block('2001:2::/48', 'benchmarking'),
  block('2001:db8::/32', 'documentation'),
  block('2001::/23', 'protocol-assignment'),
  block('2002::/16', 'embeds-ipv4'),
  block('2620:4f:8000::/48', 'relay'),
  block('3fff::/20', 'documentation'),
  block('fc00::/7', 'unique-local'),
  block('fe80::/10', 'link-local'),
  block('ff00::/8', 'multicast'),
];

const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/**
 * @param address One address in canonical text: four decimal parts, or RFC 4291 text without a zone. Other
 *   notations of IPv4 (hexadecimal, octal, short, one number) are for the URL parser to normalise first.
 */
export function classifyAddress(address: string): AddressClass {
  const parsed = parseAddress(address);
  if (parsed === undefined) return 'invalid';
  const blocks = parsed.kind() === 'ipv4' ? IPV4_BLOCKS : IPV6_BLOCKS;
  for (const [cidr, addressClass] of blocks) {
    if (isInCidr(parsed, cidr)) return addressClass;
  }
  if (parsed.kind() === 'ipv4') return 'public';
  if (!isInCidr(parsed, GLOBAL_UNICAST)) return 'outside-global-unicast';
  return isIsatap(parsed) ? 'embeds-ipv4' : 'public';
}

/** Undefined for anything but one canonical address; a zone id (`fe80::1%eth0`) is not part of an address. */
export function parseAddress(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  if (isIP(address) === 0 || address.includes('%')) return undefined;
  return ipaddr.parse(address);
}

/** False across families: an IPv4 block never covers the IPv6 forms that embed its addresses. */
export function isInCidr(address: ipaddr.IPv4 | ipaddr.IPv6, cidr: Cidr): boolean {
  return address.kind() === cidr[0].kind() && address.match(cidr);
}

/** RFC 5214, section 6.1: interface identifier 0000:5efe or 0200:5efe, then the IPv4 address, under any prefix. */
function isIsatap(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  const bytes = address.toByteArray();
  return (
    (bytes[8] === 0x00 || bytes[8] === 0x02) && bytes[9] === 0x00 && bytes[10] === 0x5e && bytes[11] === 0xfe
  );
}
