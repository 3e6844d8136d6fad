/** The accounts' webhook receivers behind the egress: they answer, refuse, hang, or take a message and say nothing. */
import { Readable } from 'node:stream';
import { EgressError, type GuardedEgress } from '@audiosplit/chassis/egress/egress';
import type { Faults } from '../faults/faults.ts';
import type { World } from '../world/world.ts';

export function createSimulatedReceiver(world: World, faults: Faults): GuardedEgress {
  return {
    async request(url, { headersTimeoutMs }) {
      await world.delay(Math.min(faults.latencyMs(), headersTimeoutMs));
      const outcome = faults.outcomeOf('webhook post');
      world.record(`webhook post: ${outcome}`);
      if (outcome === 'done') return answer(url, 204);
      switch (world.random.between(0, 5)) {
        case 0:
          return answer(url, 500);
        case 1:
          return answer(url, 503, { 'retry-after': '30' });
        case 2:
          return answer(url, 307, { location: 'https://example.com/elsewhere' });
        case 3:
          return answer(url, 429, { 'retry-after': new Date(world.nowMs() + 60_000).toUTCString() });
        case 4:
          throw new EgressError('connection-lost', 'The connection was reset.');
        default:
          await world.delay(headersTimeoutMs);
          throw new EgressError('timeout', 'The target did not answer in time.');
      }
    },
    async check() {},
    async [Symbol.asyncDispose]() {},
  };
}

function answer(url: string, status: number, headers: Readonly<Record<string, string>> = {}) {
  return { status, headers, url, body: Readable.from([]) };
}
