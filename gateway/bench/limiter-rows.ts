/** The limiter on Redis: CPU time of this process and of Redis per call, and whether it counts exactly. */

import { systemClock } from '@audiosplit/chassis/clock';
import { silentLogger } from '@audiosplit/chassis/process/log';
import { median } from '@audiosplit/chassis/testing/latency';
import { createClient } from 'redis';
import { openRedisRateLimiter } from '../src/rate-limit/redis.ts';
import type { Bench, Row } from './report.ts';

const GOAL_US = 12;
const CALLERS = 64;
const LIMIT = 300;
const LIMITERS = 4;

export async function measureLimiter({
  requests,
  rounds,
  redisUrl,
  progress,
}: Bench): Promise<readonly Row[]> {
  if (redisUrl === undefined) return [];
  const options = { url: redisUrl, log: silentLogger(), clock: systemClock };
  await using limiters = new AsyncDisposableStack();
  const gateways = await Promise.all(
    Array.from({ length: LIMITERS }, async () => limiters.use(await openRedisRateLimiter(options))),
  );
  const [first] = gateways;
  if (first === undefined) return [];
  const redis = await createClient({ url: redisUrl }).connect();
  const take = async (calls: number, bucket: string) => {
    let left = calls;
    await Promise.all(
      Array.from({ length: CALLERS }, async () => {
        while (left-- > 0) await first.take(bucket, calls * 1_000);
      }),
    );
  };
  const calls = requests * 4;
  await take(calls, 'bench:warm');
  const costsUs: { readonly gateway: number; readonly redis: number }[] = [];
  for (let round = 1; round <= rounds; round++) {
    progress(`limiter, round ${round} of ${rounds}`);
    const redisBeforeUs = await redisCpuUs(await redis.info('cpu'));
    const before = process.cpuUsage();
    await take(calls, `bench:${round}`);
    const { user, system } = process.cpuUsage(before);
    const redisUs = redisCpuUs(await redis.info('cpu')) - redisBeforeUs;
    costsUs.push({ gateway: (user + system) / calls, redis: redisUs / calls });
  }
  const bucket = `bench:exact:${process.pid}`;
  const verdicts = await Promise.all(
    gateways.flatMap((limiter) => Array.from({ length: LIMIT }, () => limiter.take(bucket, LIMIT))),
  );
  const allowed = verdicts.filter((verdict) => verdict.allowed).length;
  redis.destroy();

  const gatewayUs = median(costsUs.map((cost) => cost.gateway));
  const redisUs = median(costsUs.map((cost) => cost.redis));
  return [
    {
      measure: 'limiter on Redis',
      figure: `gateway ${gatewayUs.toFixed(1)} µs + Redis ${redisUs.toFixed(1)} µs`,
      ratio: `${(gatewayUs + redisUs).toFixed(1)} µs`,
      goal: `≤ ${GOAL_US} µs`,
      isMet: gatewayUs + redisUs <= GOAL_US,
    },
    {
      measure: `limiter: ${LIMIT} a minute, asked ${LIMIT * LIMITERS} times by ${LIMITERS} gateways`,
      figure: `${allowed} let through`,
      ratio: '',
      goal: 'exact',
      // If a window ends during the run, more calls pass.
      isMet: allowed === LIMIT,
    },
  ];
}

/** `used_cpu_user:1.234567` and so on, in seconds. */
function redisCpuUs(info: string): number {
  const seconds = (name: string) =>
    Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1] ?? Number.NaN);
  return (seconds('used_cpu_user') + seconds('used_cpu_sys')) * 1e6;
}
