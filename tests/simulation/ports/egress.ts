/**
 * The servers that the services reach through egress: the accounts' webhook receivers, and those of the jobs'
 * sources.
 */
import { Readable } from 'node:stream';
import { EgressError, type GuardedEgress } from '@audiosplit/chassis/egress/egress';
import type { PortAccess } from '../faults/faults.ts';
import type { World } from '../world/world.ts';

type Request = GuardedEgress['request'];

/** They answer, refuse, hang, or accept a message without a response. */
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
        return answer(url, 503, { headers: { 'retry-after': '30' } });
      case 2:
        return answer(url, 307, { headers: { location: 'https://example.com/elsewhere' } });
      case 3:
        return answer(url, 429, {
          headers: { 'retry-after': new Date(world.nowMs() + 60_000).toUTCString() },
        });
      case 4:
        throw new EgressError('connection-lost', 'The connection was reset.');
      default:
        await world.delay(headersTimeoutMs);
        throw new EgressError('timeout', 'The target did not answer in time.');
    }
  });
}

const BODY = Buffer.from('sound');

/** Longer than a job keeps its slot. */
const MAX_PAUSE_MS = 3_000;

/** They answer (some slowly), refuse or hang. */
export function createSimulatedSources({ world, faults }: PortAccess): GuardedEgress {
  return egressOf(async (url, { method, headersTimeoutMs, signal }) => {
    await world.delay(Math.min(faults.latencyMs(), headersTimeoutMs));
    const outcome = faults.outcomeOf('source request');
    world.record(`source ${method}: ${outcome}`);
    if (outcome === 'refused') return answer(url, 503);
    if (outcome === 'done') {
      return answer(url, 200, {
        headers: { 'content-length': String(BODY.length) },
        chunks: method === 'HEAD' ? [] : slowly(world),
        signal,
      });
    }
    await world.delay(headersTimeoutMs);
    throw new EgressError('timeout', 'The source did not answer in time.');
  });
}

async function* slowly(world: World): AsyncGenerator<Buffer> {
  for (const byte of BODY) {
    yield Buffer.from([byte]);
    if (world.random.chance(0.2)) await world.delay(world.random.between(1, MAX_PAUSE_MS));
  }
}

function egressOf(request: Request): GuardedEgress {
  return { request, async check() {}, async [Symbol.asyncDispose]() {} };
}

interface AnswerOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly chunks?: Iterable<Buffer> | AsyncIterable<Buffer>;
  /** Ends the body. */
  readonly signal?: AbortSignal | undefined;
}

function answer(url: string, status: number, { headers = {}, chunks = [], signal }: AnswerOptions = {}) {
  const body = Readable.from(chunks);
  // The reader receives the error, if there is one.
  body.on('error', () => undefined);
  const close = () => body.destroy(new EgressError('aborted', 'The request was given up.'));
  signal?.addEventListener('abort', close, { once: true });
  body.once('close', () => signal?.removeEventListener('abort', close));
  return { status, headers, url, body };
}
