import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAudiosplit } from '@audiosplit/client';
import type { Drill } from '../drill.ts';
import { LIMITER_DEGRADED } from '../environment/alert-conditions.ts';
import { REPLICAS, scrapeAll } from '../environment/drill-installation.ts';
import { describeOutage, findOutage } from '../environment/outage.ts';
import { inSeconds, secondsUntil } from '../seconds-until.ts';

const END_WITHIN_MS = 15_000;
/** More than Free's limit. */
const ASKED = 15;

export const redisLost: Drill = {
  name: 'redis',
  title: 'Redis lost',
  what: 'It is killed and its data deleted; later an empty one starts.',
  async carryOut({ installation, engines, load, journal, outageMs }) {
    const caller = await openLimitedCaller(installation.baseUrl);
    const lostAtMs = Date.now();
    await engines.wipe('redis');
    journal.did('Redis is killed, and what it had is deleted');
    const condition = async () => LIMITER_DEGRADED.value(await scrapeAll(installation));
    const noticed = await secondsUntil(async () => (await condition()) === REPLICAS, outageMs);
    journal.expect(
      `the condition of ${LIMITER_DEGRADED.alert} holds, at every gateway`,
      noticed !== undefined,
      `${await condition()} of ${REPLICAS} gateways count on their own, after ${inSeconds(noticed)}`,
    );
    const { passed, limit } = await caller.exhaust(installation.gatewayUrls[0] ?? '');
    journal.expect(
      'limits are shared out among gateways',
      passed === limit / REPLICAS,
      `one of ${REPLICAS} gateways lets ${passed} of ${ASKED} requests through in a minute, the account's limit is ${limit}`,
    );
    await sleep(Math.max(0, lostAtMs + outageMs - Date.now()));
    const outage = findOutage(load.requests, lostAtMs);
    journal.expect('no request fails', outage.failed === 0, describeOutage(outage));
    await engines.start('redis');
    journal.did(`an empty Redis starts after ${Math.round((Date.now() - lostAtMs) / 1_000)} s`);
    const ended = await secondsUntil(async () => (await condition()) === 0, END_WITHIN_MS);
    journal.expect(
      'the condition ends within seconds of the return',
      ended !== undefined,
      `after ${inSeconds(ended)}`,
    );
    journal.measure('Requests that failed', `${outage.failed} of ${outage.total}`);
    journal.measure('Exact limits again after its return', inSeconds(ended));
    return {};
  },
};

/** An account on the Free plan, whose share of one gateway is small. */
async function openLimitedCaller(baseUrl: string) {
  const connection = { baseUrl, retries: { maxRetries: 0 } };
  const password = randomBytes(18).toString('base64url');
  const email = `drill-${randomBytes(6).toString('hex')}@example.com`;
  const { accessToken } = await createAudiosplit(connection).register({ email, password });
  const { key } = await createAudiosplit({ ...connection, accessToken }).createApiKey({ name: 'drill' });
  return {
    /** Calls one gateway within one window. */
    async exhaust(gatewayUrl: string): Promise<{ readonly passed: number; readonly limit: number }> {
      await windowWithTimeLeft();
      let passed = 0;
      let limit = 0;
      for (let n = 0; n < ASKED; n++) {
        const response = await fetch(new URL('/api/v1/splits?limit=1', gatewayUrl), {
          headers: { 'x-api-key': key },
        });
        await response.body?.cancel();
        limit = Number(response.headers.get('x-ratelimit-limit'));
        if (response.status === 200) passed += 1;
      }
      return { passed, limit };
    },
  };
}

/** A window begins with each minute. */
async function windowWithTimeLeft(): Promise<void> {
  const leftMs = 60_000 - (Date.now() % 60_000);
  if (leftMs < 10_000) await sleep(leftMs + 100);
}
