/** Subscriptions to decoded events. Only the services interpret an event. */
import { type DescMessage, fromBinary, type MessageShape } from '@bufbuild/protobuf';
import { processTraced } from '../observability/traced-messages.ts';
import type { EventBus, IncomingMessage, Subscription } from './event-bus.ts';

interface EventSubscription<D extends DescMessage> {
  readonly bus: EventBus;
  readonly group: string;
  readonly topics: readonly string[];
  readonly schema: D;
  /** The signal aborts when another member may own the message. */
  readonly handler: (event: MessageShape<D>, message: IncomingMessage, signal: AbortSignal) => Promise<void>;
  readonly onCrash: (error: Error) => void;
  readonly maxConcurrentHandlers?: number;
}

/** Subscribes a handler to decoded events; it runs in the trace of the work that caused the event. */
export function subscribeToEvents<D extends DescMessage>(
  options: EventSubscription<D>,
): Promise<Subscription> {
  const { bus, group, topics, schema, handler, onCrash, maxConcurrentHandlers } = options;
  return bus.subscribe({
    group,
    topics,
    onCrash,
    ...(maxConcurrentHandlers === undefined ? {} : { maxConcurrentHandlers }),
    handler: (message, signal) =>
      processTraced(message, group, async () => handler(fromBinary(schema, message.value), message, signal)),
  });
}
