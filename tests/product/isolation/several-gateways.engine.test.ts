import assert from 'node:assert/strict';
import { after } from 'node:test';
import { openKafkaEventBus } from '@audiosplit/chassis/event-bus/kafka/kafka';
import { silentLogger } from '@audiosplit/chassis/process/log';
import { TOPIC_DECLARATIONS } from '@audiosplit/proto/topics';
import { testSeveralGateways } from './several-gateways.contract.ts';

const kafka = await openKafkaEventBus({
  brokers: process.env.TEST_KAFKA_BROKERS?.split(',') ?? assert.fail('TEST_KAFKA_BROKERS is not set'),
  clientId: 'several-gateways-test',
  topics: TOPIC_DECLARATIONS,
  log: silentLogger(),
});
after(() => kafka[Symbol.asyncDispose]());

testSeveralGateways('with Kafka', () => kafka);
