/** A process that consumes a topic and does nothing else: `crashing-consumer.fixture.ts <brokers> <topic> <group>`. */
import { runProcess } from '../process/lifecycle.ts';
import { silentLogger } from '../process/log.ts';
import { openKafkaEventBus } from './kafka/kafka.ts';

const [brokers = '', topic = '', group = ''] = process.argv.slice(2);

await runProcess({
  name: 'consumer',
  stopTimeoutMs: () => 10_000,
  async start(fatal) {
    const bus = await openKafkaEventBus({
      brokers: brokers.split(','),
      clientId: 'crashing-consumer',
      topics: [{ name: topic, partitions: 1, retentionMs: 3_600_000 }],
      log: silentLogger(),
      sessionTimeoutMs: 6_000,
    });
    await bus.subscribe({
      group,
      topics: [topic],
      onCrash: fatal,
      handler: async (message) => void process.stdout.write(`${message.key}\n`),
    });
    return bus;
  },
});
