import { isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** Identifies an unauthenticated caller to the auth service. */
export function clientOf({ ip, headers }: FastifyRequest): {
  readonly clientIp: string;
  readonly userAgent: string;
} {
  return { clientIp: withoutPort(ip), userAgent: headers['user-agent'] ?? '' };
}

/** Some proxies append the port, which differs by connection. */
export function withoutPort(ip: string): string {
  const [, bracketed, dotted] = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/.exec(ip) ?? [];
  return bracketed ?? dotted ?? ip;
}

/**
 * The rate limit bucket of a caller without a credential. An IPv6 site usually has a whole /64 (RFC 6177), so the first
 * 64 bits are one bucket.
 */
export function addressBucket(ip: string): string {
  const host = withoutPort(ip);
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(host) ?? [];
  if (mapped !== undefined) return mapped;
  const [address = ''] = host.split('%');
  if (!isIPv6(address)) return host;
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const tailGroups = tail === '' ? [] : tail.split(':');
    while (groups.length + tailGroups.length < 8) groups.push('0');
    groups.push(...tailGroups);
  }
  const prefix = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${prefix.join(':')}::/64`;
}
