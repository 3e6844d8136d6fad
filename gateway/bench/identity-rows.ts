/**
 * What the caller's identity adds to an internal call: its token signed and verified, in this process, once for each
 * account and once from the caches of both sides. Most calls are of the second kind (chassis/src/identity/tokens.ts).
 */
import { systemClock } from '@audiosplit/chassis/clock';
import { createSigner, createVerifier } from '@audiosplit/chassis/identity/tokens';
import { testKeysOf } from '@audiosplit/chassis/testing/identities';
import { median } from '@audiosplit/chassis/testing/latency';
import { JobsService } from '@audiosplit/proto/jobs/v1/jobs';
import type { Bench, Row } from './report.ts';

const { getJob } = JobsService.method;
/** Of a call between two processes. */
const MOST_SHARE = 0.05;

/** `hopUs`: what a call takes at all, both sides together. */
export function measureIdentity(hopUs: number, { requests, rounds }: Bench): readonly Row[] {
  const sign = createSigner(testKeysOf('gateway'), systemClock);
  const verify = createVerifier(testKeysOf('jobs').publicKeys, systemClock);
  const measure = (accountOf: (call: number) => string) => {
    const before = process.cpuUsage();
    for (let call = 0; call < requests; call += 1) {
      const token = sign(getJob, { accountId: accountOf(call), scopes: ['splits:read'] });
      if (verify(getJob, token) === undefined) throw new Error('a token that was just signed is refused');
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / requests;
  };
  const medianOf = (accountOf: (call: number, round: number) => string) =>
    median(Array.from({ length: rounds }, (_, round) => measure((call) => accountOf(call, round))));
  const cachedUs = medianOf(() => 'acc_benchmark');
  const freshUs = medianOf((call, round) => `acc_${round}_${call}`);
  const row = (measure: string, us: number): Row => ({
    measure: `identity of a call, ${measure}`,
    figure: `${us.toFixed(1)} µs`,
    ratio: `${(us / hopUs).toFixed(3)} of a hop`,
    goal: '',
    isMet: undefined,
  });
  const isMet = cachedUs <= MOST_SHARE * hopUs;
  return [
    { ...row('from the caches', cachedUs), goal: `≤ ${MOST_SHARE}`, isMet },
    row('signed and verified anew', freshUs),
  ];
}
