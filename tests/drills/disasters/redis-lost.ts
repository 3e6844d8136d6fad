import { setTimeout as sleep } from 'node:timers/promises';
import { type Account, openAccount } from '../../harness/accounts/open-account.ts';
import { raw } from '../../harness/accounts/raw.ts';
import { inSeconds } from '../../harness/seconds-until.ts';
import type { Drill } from '../drill.ts';
import { LIMITER_DEGRADED } from '../environment/alert-conditions.ts';
import { REPLICAS, scrapeAll } from '../environment/drill-installation.ts';
import { describeOutage, findOutage } from '../environment/outage.ts';

const END_WITHIN_MS = 15_000;
/** More than Free's limit. */
const ASKED = 15;

export const redisLost: Drill = {
  name: 'redis',
  title: 'Redis lost',
  what: 'It is killed and its data deleted; later an empty one starts.',
  async carryOut({ installation, engines, load, journal, outageMs }) {
    // On the Free plan, of which one gateway's share is small.
    const caller = await openAccount(installation.baseUrl);
    const lostAtMs = Date.now();
    await engines.wipe('redis');
    journal.did('Redis is killed, and what it had is deleted');
    const condition = async () => LIMITER_DEGRADED.value(await scrapeAll(installation));
    await journal.expectWithin(
      outageMs,
      `the condition of ${LIMITER_DEGRADED.alert} holds, at every gateway`,
      async () => (await condition()) === REPLICAS,
      async (took) => `${await condition()} of ${REPLICAS} gateways count on their own, after ${took}`,
    );
    const { passed, limit } = await exhaust(caller, installation.gatewayUrls[0] ?? '');
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
    const hasEnded = async () => (await condition()) === 0;
    const ended = await journal.expectWithin(END_WITHIN_MS, 'the condition ends with the return', hasEnded);
    journal.measure('Requests that failed', `${outage.failed} of ${outage.total}`);
    journal.measure('Exact limits again after its return', inSeconds(ended));
    return {};
  },
};

/** Calls one gateway within one window. */
async function exhaust({ apiKey }: Account, gatewayUrl: string) {
  await windowWithTimeLeft();
  let passed = 0;
  let limit = 0;
  for (let n = 0; n < ASKED; n++) {
    const { status, headers } = await raw(gatewayUrl, 'GET /api/v1/splits?limit=1', { apiKey });
    limit = Number(headers.get('x-ratelimit-limit'));
    if (status === 200) passed += 1;
  }
  return { passed, limit };
}

/** A window begins with each minute. */
async function windowWithTimeLeft(): Promise<void> {
  const leftMs = 60_000 - (Date.now() % 60_000);
  if (leftMs < 10_000) await sleep(leftMs + 100);
}
