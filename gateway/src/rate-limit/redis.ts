/**
 * The rate limiter on Redis, shared by all gateways.
 *
 * Each call is one script (redis-script.ts). An exhausted bucket is blocked in this process until the reset,
 * without further calls; a higher limit, as after a change of plan, does call.
 *
 * If Redis does not answer (no connection, or nothing within DEADLINE_MS) the limiter is degraded: it counts
 * alone, against its share of each limit, and probes Redis until it answers. The share is the limit divided
 * by the last known number of gateways (redis-gateways.ts). Failure modes:
 * - Earlier counts of the window are unknown then. When Redis fails or recovers, a window may admit the limit
 *   plus each gateway's share.
 * - If a limit is below the number of gateways, each of them admits one call.
 * - Gateways that start or stop while Redis is unavailable do not change the shares of the others. One that
 *   starts then assumes ASSUMED_GATEWAYS.
 * - A call that Redis counts after its deadline is counted twice.
 * - If Redis loses its data, or the login may not read counts (as that of an earlier release), only this
 *   process's own spent windows are known, and no stored name is.
 * - A Redis that loses its data restarts the window, and knows all gateways again ANNOUNCE_EVERY_MS later.
 */

import type { Clock } from '@audiosplit/chassis/clock';
import type { Logger } from '@audiosplit/chassis/process/log';
import { reasonOf } from '@audiosplit/chassis/secrets/certificate-faults';
import { createClient } from 'redis';
import { count } from '../metrics.ts';
import { createMemoryRateLimiter } from './memory.ts';
import {
  type RateLimiter,
  type RateLimitVerdict,
  verdictAfter,
  verdictOn,
  WINDOW_SECONDS,
} from './rate-limiter.ts';
import { ANNOUNCE_EVERY_MS, createGatewayRegister } from './redis-gateways.ts';
import { countCall, lookAtCalls } from './redis-script.ts';
import { createReplyDeadline } from './reply-deadline.ts';

interface RedisRateLimiterOptions {
  readonly url: string;
  readonly log: Logger;
  readonly clock: Clock;
  readonly windowSeconds?: number;
}

export interface RedisRateLimiter extends RateLimiter {
  /** Whether this process counts alone at the moment. */
  readonly degraded: boolean;
  /** Last known number of gateways that share the limits. */
  readonly gateways: number;
  /** Calls that this process has counted alone so far. */
  readonly degradedCalls: number;
}

const KEY_PREFIX = 'audiosplit:rate:';
const REMEMBERED_PREFIX = 'audiosplit:remembered:';
const DEADLINE_MS = 250;
const CONNECT_TIMEOUT_MS = 2_000;
const PROBE_EVERY_MS = 500;
/** An unanswered ping detects a dead connection. */
const PING_EVERY_MS = 5_000;
const SILENCE_TIMEOUT_MS = 12_000;
const MAX_RECONNECT_PAUSE_MS = 2_000;
/** Deployments have at least two replicas, so that one can fail. */
const ASSUMED_GATEWAYS = 2;

/** Resolves when Redis answers, or after two seconds, in degraded mode. */
export async function openRedisRateLimiter(options: RedisRateLimiterOptions): Promise<RedisRateLimiter> {
  const { url, log, clock, windowSeconds = WINDOW_SECONDS } = options;
  const local = createMemoryRateLimiter(clock, windowSeconds);
  const deadline = createReplyDeadline(DEADLINE_MS);
  const client = createClient({
    url,
    disableOfflineQueue: true,
    pingInterval: PING_EVERY_MS,
    // The client's own timeout creates an AbortSignal per command, which costs more than the command.
    commandOptions: { timeout: 0 },
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SILENCE_TIMEOUT_MS,
      reconnectStrategy: (retries) => Math.min(MAX_RECONNECT_PAUSE_MS, 50 * 2 ** Math.min(retries, 10)),
    },
  });
  let probe: NodeJS.Timeout | undefined;
  let gateways = ASSUMED_GATEWAYS;
  let isAnnounced = false;
  let degradedCalls = 0;
  let blocked = new Map<string, number>();
  let blockedUntilMs = 0;
  let resetOfBlocked = 0;

  const degrade = (reason: unknown) => {
    if (probe !== undefined) return;
    log.warn(
      { reason: reasonOf(reason), gateways },
      'Redis does not count; limits hold per gateway, in part',
    );
    probe = setInterval(() => {
      if (client.isReady) deadline.over(client.ping()).then(recover, () => undefined);
    }, PROBE_EVERY_MS);
    // This timer must not keep the process alive.
    probe.unref();
  };
  const recover = () => {
    if (probe === undefined) return;
    clearInterval(probe);
    probe = undefined;
    log.info('Redis counts again');
  };

  const send = (args: readonly string[]) => client.sendCommand(args);
  const register = createGatewayRegister((args) => deadline.over(send(args)));
  // A lost announcement is repeated by the next one, and calls detect an outage.
  const announce = async () => {
    if (!client.isReady) return;
    const known = await register.announce().catch(() => gateways);
    // Gateways that start at the same time may not be registered yet, so the first count is at least ASSUMED_GATEWAYS.
    gateways = isAnnounced ? known : Math.max(known, ASSUMED_GATEWAYS);
    isAnnounced = true;
  };

  const takeBlocked = (bucket: string, limit: number, nowMs: number): RateLimitVerdict | undefined => {
    if (nowMs >= blockedUntilMs) return undefined;
    const blockedLimit = blocked.get(bucket);
    if (blockedLimit === undefined || limit > blockedLimit) return undefined;
    return verdictOn(limit + 1, limit, resetOfBlocked, blockedUntilMs - nowMs);
  };

  const block = (bucket: string, limit: number, resetAtSeconds: number, untilMs: number) => {
    if (resetAtSeconds !== resetOfBlocked) {
      blocked = new Map();
      resetOfBlocked = resetAtSeconds;
      blockedUntilMs = untilMs;
    }
    blocked.set(bucket, limit);
  };

  const shareOf = (limit: number) => Math.max(1, Math.floor(limit / gateways));
  const takeLocally = async (bucket: string, limit: number): Promise<RateLimitVerdict> => {
    degradedCalls += 1;
    count('audiosplit_rate_limiter_degraded_calls_total', {});
    return { ...(await local.take(bucket, shareOf(limit))), limit };
  };
  const lookLocally = async (bucket: string, limit: number): Promise<RateLimitVerdict> => ({
    ...(await local.look(bucket, shareOf(limit))),
    limit,
  });

  client.on('error', degrade);
  const connected = client.connect();
  await deadline.over(connected, CONNECT_TIMEOUT_MS).catch(degrade);
  await announce();
  const announcing = setInterval(announce, ANNOUNCE_EVERY_MS);
  announcing.unref();

  return {
    get degraded() {
      return probe !== undefined;
    },
    get gateways() {
      return gateways;
    },
    get degradedCalls() {
      return degradedCalls;
    },
    async take(bucket, limit) {
      const sentAtMs = clock().getTime();
      const known = takeBlocked(bucket, limit, sentAtMs);
      if (known !== undefined) return known;
      if (probe !== undefined) return takeLocally(bucket, limit);
      try {
        const { count, resetAtSeconds, untilResetMs } = await deadline.over(
          countCall(send, KEY_PREFIX + bucket, windowSeconds),
        );
        if (count >= limit) block(bucket, limit, resetAtSeconds, sentAtMs + untilResetMs);
        return verdictOn(count, limit, resetAtSeconds, untilResetMs);
      } catch (error) {
        degrade(error);
        return takeLocally(bucket, limit);
      }
    },
    async look(bucket, limit) {
      const askedAtMs = clock().getTime();
      const known = takeBlocked(bucket, limit, askedAtMs);
      if (known !== undefined) return known;
      if (probe !== undefined) return lookLocally(bucket, limit);
      try {
        const { count, resetAtSeconds, untilResetMs } = await deadline.over(
          lookAtCalls(send, KEY_PREFIX + bucket, windowSeconds),
        );
        if (count >= limit) block(bucket, limit, resetAtSeconds, askedAtMs + untilResetMs);
        return verdictAfter(count, limit, resetAtSeconds, untilResetMs);
      } catch (error) {
        if (!isForbidden(error)) degrade(error);
        return lookLocally(bucket, limit);
      }
    },
    async remember(name, seconds) {
      if (probe !== undefined) return;
      const args = ['SET', REMEMBERED_PREFIX + name, '', 'EX', String(seconds)];
      await deadline.over(send(args)).catch(() => undefined);
    },
    async remembers(name) {
      if (probe !== undefined) return false;
      const reply = deadline.over(send(['EXISTS', REMEMBERED_PREFIX + name]));
      return (await reply.catch(() => 0)) === 1;
    },
    async check() {},
    async [Symbol.asyncDispose]() {
      clearInterval(probe);
      clearInterval(announcing);
      if (client.isReady) await register.leave().catch(() => undefined);
      client.destroy();
      deadline.end();
    },
  };
}

/** The login lacks a right that it needs since this release. */
function isForbidden(error: unknown): boolean {
  return error instanceof Error && /\bNOPERM\b|can't run this command|No permissions/i.test(error.message);
}
