import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KafkaMessage } from 'kafkajs';
import { silentLogger } from '../../process/log.ts';
import { createSemaphore } from '../../semaphore.ts';
import { until } from '../../testing/until.ts';
import { createPartitionQueue } from './partition.ts';

const HOUR_MS = 3_600_000;

test('a message that has failed for the last time is set aside at once, and the next one is delivered', async (t) => {
  const handled: string[] = [];
  const buried: string[] = [];
  const committed: bigint[] = [];
  const delays: number[] = [];
  const queue = createPartitionQueue({
    topic: 'topic',
    partition: 0,
    semaphore: createSemaphore(1),
    log: silentLogger(),
    handler: async ({ key }) => {
      if (key === 'bad') throw new Error('never will');
      handled.push(key);
    },
    maxDeliveries: 2,
    redeliveryDelayMs(delivery) {
      delays.push(delivery);
      return delivery === 1 ? 1 : HOUR_MS;
    },
    isPaused: () => false,
    deadLetter: async ({ key }) => void buried.push(key),
    commit: async (offset) => void committed.push(offset),
  });
  const message = (offset: number, key: string) =>
    ({
      offset: String(offset),
      key: Buffer.from(key),
      value: Buffer.alloc(0),
      headers: {},
    }) as unknown as KafkaMessage;
  queue.push([message(0, 'bad'), message(1, 'good')], () => () => undefined);
  t.after(() => queue.lose());
  await until(() => committed.length === 2, 'both are done with', 5_000);
  await queue.stop();
  assert.deepEqual([handled, buried, committed, delays], [['good'], ['bad'], [1n, 2n], [1]]);
});
