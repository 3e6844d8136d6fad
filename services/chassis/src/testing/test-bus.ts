/** The bus on a test's database, and the test on it in the part of the other services. */
import { type Event, EventSchema } from '@audiosplit/proto/events/v1/events';
import { TOPIC_DECLARATIONS, TOPICS } from '@audiosplit/proto/topics';
import type { Clock } from '../clock.ts';
import type { EventBus } from '../event-bus/event-bus.ts';
import { type EventMessageOptions, type EventPayload, eventMessage } from '../event-bus/event-message.ts';
import { subscribeToEvents } from '../event-bus/events.ts';
import { openPostgresEventBus } from '../event-bus/postgres/postgres.ts';
import { silentLogger } from '../process/log.ts';
import { failTest } from './service-context.ts';
import { until } from './until.ts';

export interface TestBus extends AsyncDisposable {
  readonly bus: EventBus;
  /** Puts an event on the bus as another service would. */
  tell(accountId: string, payload: EventPayload, options?: EventMessageOptions): Promise<void>;
  /** Events of this kind that were published for an account; waits until there are `count`. */
  published(kind: EventPayload['case'], accountId: string, count: number): Promise<Event[]>;
}

interface TestBusOptions {
  /** Of a database with the bus' schema. */
  readonly databaseUrl: string;
  readonly clock: Clock;
}

export async function openTestBus({ databaseUrl, clock }: TestBusOptions): Promise<TestBus> {
  await using starting = new AsyncDisposableStack();
  const bus = starting.use(
    await openPostgresEventBus({ url: databaseUrl, topics: TOPIC_DECLARATIONS, log: silentLogger() }),
  );
  const events: Event[] = [];
  starting.use(
    await subscribeToEvents({
      bus,
      group: 'test',
      topics: Object.values(TOPICS),
      schema: EventSchema,
      handler: async (event) => {
        events.push(event);
      },
      onCrash: failTest,
    }),
  );
  const running = starting.move();
  return {
    bus,
    async tell(accountId, payload, options) {
      await bus.publish([{ ...eventMessage(accountId, clock(), payload, options), headers: {} }]);
    },
    async published(kind, accountId, count) {
      const matching = () =>
        events.filter((event) => event.payload.case === kind && event.accountId === accountId);
      await until(() => matching().length >= count, `${count} × ${kind} for ${accountId}`);
      return matching();
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
