/** The accounts' webhook receivers behind the egress: they answer, refuse, hang, or take a message and say nothing. */
import { Readable } from 'node:stream';
import { EgressError, type GuardedEgress } from '@audiosplit/chassis/egress/egress';
import type { Faults } from './faults.ts';
import type { World } from './world.ts';

export interface SentNotification {
  readonly webhookId: string;
  readonly jobId: string;
  readonly type: string;
}

export interface SimulatedReceiver {
  readonly egress: GuardedEgress;
  /** What was sent, repeats included, in the order of sending. */
  readonly attempts: readonly SentNotification[];
}

export function createSimulatedReceiver(world: World, faults: Faults): SimulatedReceiver {
  const attempts: SentNotification[] = [];
  const egress: GuardedEgress = {
    async request(url, { headers = {}, body, headersTimeoutMs }) {
      const { type, data } = JSON.parse(Buffer.from(body ?? []).toString()) as {
        type: string;
        data: { id: string };
      };
      attempts.push({ webhookId: headers['webhook-id'] ?? '', jobId: data.id, type });
      await world.delay(Math.min(faults.latencyMs(), headersTimeoutMs));
      const fate = faults.fateOf('webhook post');
      world.record(`webhook post: ${fate}`);
      if (fate === 'done') return answer(url, 204);
      switch (world.random.between(0, 2)) {
        case 0:
          return answer(url, 500);
        case 1:
          return answer(url, 503, { 'retry-after': '30' });
        default:
          await world.delay(headersTimeoutMs);
          throw new EgressError('timeout', 'The target did not answer in time.');
      }
    },
    async check() {},
    async [Symbol.asyncDispose]() {},
  };
  return { egress, attempts };
}

function answer(url: string, status: number, headers: Readonly<Record<string, string>> = {}) {
  return { status, headers, url, body: Readable.from([]) };
}
