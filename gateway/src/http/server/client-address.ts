import { networkOf } from '@audiosplit/chassis/net/client-network';
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

/** The rate limit bucket of a caller without a credential. */
export function addressBucket(ip: string): string {
  return networkOf(withoutPort(ip));
}
