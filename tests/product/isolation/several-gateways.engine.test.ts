import { after } from 'node:test';
import { openKafkaEventBus } from '@audiosplit/chassis/event-bus/kafka/kafka';
import { silentLogger } from '@audiosplit/chassis/process/log';
import { TOPIC_DECLARATIONS } from '@audiosplit/proto/topics';
import { testSeveralGateways } from './several-gateways.contract.ts';

const brokers = process.env.TEST_KAFKA_BROKERS?.split(',');
if (brokers === undefined)
  throw new Error('TEST_KAFKA_BROKERS is not set: give host:port of brokers for tests');

const kafka = await openKafkaEventBus({
  brokers,
  clientId: 'several-gateways-test',
  topics: TOPIC_DECLARATIONS,
  log: silentLogger(),
});
after(() => kafka[Symbol.asyncDispose]());

testSeveralGateways('with Kafka', () => kafka);
