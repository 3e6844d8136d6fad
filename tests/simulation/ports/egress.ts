/** The servers behind the services' egress: the accounts' webhook receivers, and those of the jobs' sources. */
import { Readable } from 'node:stream';
import { EgressError, type GuardedEgress } from '@audiosplit/chassis/egress/egress';
import type { PortAccess } from '../faults/faults.ts';

type Request = GuardedEgress['request'];

/** They answer, refuse, hang, or take a message and say nothing. */
export function createSimulatedReceiver({ world, faults }: PortAccess): GuardedEgress {
  return egressOf(async (url, { headersTimeoutMs }) => {
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
  });
}

const BODY = Buffer.from('sound');

/** They answer, refuse or hang. */
export function createSimulatedSources({ world, faults }: PortAccess): GuardedEgress {
  return egressOf(async (url, { method, headersTimeoutMs }) => {
    await world.delay(Math.min(faults.latencyMs(), headersTimeoutMs));
    const outcome = faults.outcomeOf('source request');
    world.record(`source ${method}: ${outcome}`);
    if (outcome === 'refused') return answer(url, 503);
    if (outcome === 'done')
      return answer(url, 200, { 'content-length': String(BODY.length) }, method === 'HEAD' ? [] : [BODY]);
    await world.delay(headersTimeoutMs);
    throw new EgressError('timeout', 'The source did not answer in time.');
  });
}

function egressOf(request: Request): GuardedEgress {
  return { request, async check() {}, async [Symbol.asyncDispose]() {} };
}

function answer(
  url: string,
  status: number,
  headers: Readonly<Record<string, string>> = {},
  body: readonly Buffer[] = [],
) {
  return { status, headers, url, body: Readable.from(body) };
}
