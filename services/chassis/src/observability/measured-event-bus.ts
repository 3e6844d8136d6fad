import { lagByTopic } from '../event-bus/bus-operations.ts';
import {
  DEFAULT_MAX_DELIVERIES,
  type IncomingMessage,
  type MonitoredEventBus,
  type SubscribeOptions,
} from '../event-bus/event-bus.ts';
import { isMeasured } from './metrics.ts';
import { count, expose, observeSince } from './shared-metrics.ts';

/** Returns the bus itself if nothing is measured. Disposing it disposes the bus as well. */
export function measureEventBus(bus: MonitoredEventBus): MonitoredEventBus {
  if (!isMeasured()) return bus;
  using exposing = new DisposableStack();
  exposing.use(
    expose('audiosplit_event_bus_lag_messages', async () =>
      lagByTopic(await bus.lag()).map(({ group, topic, messages }) => ({
        labels: { group, topic },
        value: messages,
      })),
    ),
  );
  exposing.use(
    expose('audiosplit_event_bus_dead_letter_messages', async () =>
      (await bus.deadLetters()).map(({ group, topic, letters }) => ({
        labels: { group, topic },
        value: letters,
      })),
    ),
  );
  const exposed = exposing.move();
  return {
    async publish(messages) {
      let outcome: 'published' | 'failed' = 'failed';
      try {
        await bus.publish(messages);
        outcome = 'published';
      } finally {
        for (const { topic } of messages) count('audiosplit_event_bus_published_total', { topic, outcome });
      }
    },
    subscribe: (options) => bus.subscribe({ ...options, handler: measureHandler(options) }),
    check: () => bus.check(),
    database: bus.database && {
      url: bus.database.url,
      onPublished(topics) {
        for (const topic of topics)
          count('audiosplit_event_bus_published_total', { topic, outcome: 'published' });
        bus.database?.onPublished(topics);
      },
    },
    lag: () => bus.lag(),
    deadLetters: () => bus.deadLetters(),
    async [Symbol.asyncDispose]() {
      exposed.dispose();
      await bus[Symbol.asyncDispose]();
    },
  };
}

function measureHandler({ group, handler, maxDeliveries = DEFAULT_MAX_DELIVERIES }: SubscribeOptions) {
  return async (message: IncomingMessage, signal: AbortSignal): Promise<void> => {
    const { topic, delivery } = message;
    const startedAt = performance.now();
    let outcome: 'handled' | 'failed' | 'dead_lettered' | 'handed_back' = 'handled';
    try {
      await handler(message, signal);
    } catch (error) {
      // As event-bus.ts promises, an aborted delivery does not count, and the last failure makes a dead
      // letter.
      if (signal.aborted) outcome = 'handed_back';
      else outcome = delivery >= maxDeliveries ? 'dead_lettered' : 'failed';
      throw error;
    } finally {
      observeSince('audiosplit_event_bus_handler_duration_seconds', { group, topic }, startedAt);
      count('audiosplit_event_bus_consumed_total', { group, topic, outcome });
    }
  };
}
