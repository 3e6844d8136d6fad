/** The servers of the jobs' sources behind the splitters' egress: they answer, refuse or hang. */
import { Readable } from 'node:stream';
import { EgressError, type GuardedEgress } from '@audiosplit/chassis/egress/egress';
import type { Faults } from '../faults/faults.ts';
import type { World } from '../world/world.ts';

const BODY = Buffer.from('sound');

export function createSimulatedSources(world: World, faults: Faults): GuardedEgress {
  return {
    async request(url, { method, headersTimeoutMs }) {
      await world.delay(Math.min(faults.latencyMs(), headersTimeoutMs));
      const outcome = faults.outcomeOf('source request');
      world.record(`source ${method}: ${outcome}`);
      if (outcome === 'refused') return { status: 503, headers: {}, url, body: Readable.from([]) };
      if (outcome !== 'done') {
        await world.delay(headersTimeoutMs);
        throw new EgressError('timeout', 'The source did not answer in time.');
      }
      const headers = { 'content-length': String(BODY.length) };
      return { status: 200, headers, url, body: Readable.from(method === 'HEAD' ? [] : [BODY]) };
    },
    async check() {},
    async [Symbol.asyncDispose]() {},
  };
}
