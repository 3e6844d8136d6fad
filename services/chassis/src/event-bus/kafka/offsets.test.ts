import assert from 'node:assert/strict';
import { test } from 'node:test';
import kafkajs from 'kafkajs';
import { fetchTopicOffsets } from './offsets.ts';

const OFFSETS = [{ partition: 0, offset: '7', high: '7', low: '2' }];

function failing(error: Error, times: number) {
  const asked: string[] = [];
  return {
    asked,
    async fetchTopicOffsets(topic: string) {
      asked.push(topic);
      if (asked.length <= times) throw error;
      return OFFSETS;
    },
  };
}

test('offsets are fetched again if a partition has a new leader', async () => {
  const notLeader = new kafkajs.KafkaJSError('This server is not the leader for that topic-partition', {
    retriable: true,
  });
  const admin = failing(notLeader, 1);
  assert.deepEqual(await fetchTopicOffsets(admin, 'topic'), OFFSETS);
  assert.deepEqual(admin.asked, ['topic', 'topic']);
});

test('offsets are not fetched again after a permanent error', async () => {
  const admin = failing(new kafkajs.KafkaJSNonRetriableError('Invalid topic'), 1);
  await assert.rejects(fetchTopicOffsets(admin, 'topic'), /Invalid topic/);
  assert.equal(admin.asked.length, 1);
});
