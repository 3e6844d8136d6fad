/**
 * Spans of messages, on either side of the bus:
 * https://opentelemetry.io/docs/specs/semconv/messaging/messaging-spans/
 *
 * A message in the outbox carries the trace of its cause. Publishing it is a span of that trace, and the
 * message then carries this span instead: the consumer's span is the child of the producer's. If publishing
 * fails it is repeated, and each attempt has its own span.
 */
import type { IncomingMessage, OutgoingMessage } from '../event-bus/event-bus.ts';
import { runInTrace, type Trace, traceFromHeaders, traceHeaders } from '../trace.ts';
import { errorTypeOf, inSpan, isTraced, type SpanAttributes, startSpan } from './spans.ts';

export async function publishTraced(
  messages: readonly OutgoingMessage[],
  publish: (messages: readonly OutgoingMessage[]) => Promise<void>,
): Promise<void> {
  if (!isTraced()) return publish(messages);
  const given = messages.map((message) => {
    const span = startSpan({
      name: `send ${message.topic}`,
      kind: 'producer',
      attributes: attributesOf(message, 'send'),
      parent: traceOf(message),
    });
    if (span === undefined) return { message };
    const headers = { ...message.headers, ...runInTrace(span.trace, traceHeaders) };
    return { span, message: { ...message, headers } };
  });
  let errorType: string | undefined;
  try {
    await publish(given.map(({ message }) => message));
  } catch (error) {
    errorType = errorTypeOf(error);
    throw error;
  } finally {
    for (const { span } of given) span?.end({ errorType });
  }
}

/** For a message that the transaction which writes it also publishes. */
export function sentHeaders(topic: string): Readonly<Record<string, string>> {
  const headers = traceHeaders();
  if (!isTraced()) return headers;
  const span = startSpan({
    name: `send ${topic}`,
    kind: 'producer',
    attributes: attributesOf({ topic }, 'send'),
    parent: traceFromHeaders((name) => headers[name]),
  });
  if (span === undefined) return headers;
  span.end({ errorType: undefined });
  return runInTrace(span.trace, traceHeaders);
}

/** `work` runs in the trace that the message carries. */
export function processTraced(
  message: IncomingMessage,
  group: string,
  work: () => Promise<void>,
): Promise<void> {
  return inSpan(
    {
      name: `process ${message.topic}`,
      kind: 'consumer',
      attributes: { ...attributesOf(message, 'process'), 'messaging.consumer.group.name': group },
      parent: traceOf(message),
    },
    work,
  );
}

function traceOf({ headers }: OutgoingMessage): Trace {
  return traceFromHeaders((name) => headers[name]);
}

function attributesOf(
  { topic }: Pick<OutgoingMessage, 'topic'>,
  operation: 'send' | 'process',
): SpanAttributes {
  return {
    'messaging.destination.name': topic,
    'messaging.operation.name': operation,
    'messaging.operation.type': operation,
  };
}
