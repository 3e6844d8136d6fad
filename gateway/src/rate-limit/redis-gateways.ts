/**
 * Counts the gateways on one Redis. Each adds itself to a sorted set, by the server's clock; the others remove it after
 * LIFETIME_MS without an announcement.
 */
import { randomUUID } from 'node:crypto';

const KEY = 'audiosplit:gateways';
export const ANNOUNCE_EVERY_MS = 5_000;
/** Tolerates a few lost announcements. */
const LIFETIME_MS = 4 * ANNOUNCE_EVERY_MS;

/** KEYS[1]: the set. ARGV: the gateway, and its lifetime in ms. Returns the number of gateways. */
const ANNOUNCE_SCRIPT = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local lifetime = tonumber(ARGV[2])
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - lifetime)
redis.call('PEXPIRE', KEYS[1], lifetime)
return redis.call('ZCARD', KEYS[1])
`;

type SendCommand = (args: readonly string[]) => Promise<unknown>;

interface GatewayRegister {
  /** Announces this gateway. Resolves with the number of gateways, at least 1. */
  announce(): Promise<number>;
  leave(): Promise<void>;
}

export function createGatewayRegister(send: SendCommand): GatewayRegister {
  const gateway = randomUUID();
  return {
    async announce() {
      const count = await send(['EVAL', ANNOUNCE_SCRIPT, '1', KEY, gateway, String(LIFETIME_MS)]);
      return Math.max(1, Number(count));
    },
    async leave() {
      await send(['ZREM', KEY, gateway]);
    },
  };
}
