import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OutgoingMessage } from '../event-bus/event-bus.ts';
import { silentLogger } from '../process/log.ts';
import { startTraceCollector } from '../testing/trace-collector.ts';
import { currentTrace } from '../trace.ts';
import { processTraced, publishTraced } from './traced-messages.ts';
import { startTracing } from './tracing.ts';
import { readTracingConfig } from './tracing-config.ts';

const TOPIC = 'audiosplit.splits';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CAUSE = '00f067aa0ba902b7';
const PRODUCER = 4;
const CONSUMER = 5;
const messageIn = (headers: Readonly<Record<string, string>>): OutgoingMessage => ({
  topic: TOPIC,
  key: 'a',
  value: new Uint8Array(),
  headers,
});
const caused = (flags: string) =>
  messageIn({ traceparent: `00-${TRACE}-${CAUSE}-${flags}`, 'x-request-id': 'req_1' });

async function startCollecting() {
  await using starting = new AsyncDisposableStack();
  const collector = starting.use(await startTraceCollector());
  const config = readTracingConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  const tracing = await startTracing(config, { serviceName: 'audiosplit-test', log: silentLogger() });
  const running = starting.move();
  return {
    /** Ends the tracing and returns the spans. */
    async spans() {
      await tracing?.[Symbol.asyncDispose]();
      return collector.spans;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

test('messages are passed to the bus unchanged if nothing is traced', async () => {
  const messages = [caused('01')];
  await publishTraced(messages, async (given) => assert.equal(given, messages));
});

test('a published message has a span, and its processing is a child of that span', async () => {
  await using collecting = await startCollecting();
  let published: readonly OutgoingMessage[] = [];
  await publishTraced([caused('01'), caused('00'), messageIn({})], async (given) => {
    published = given;
  });
  const [sampled, ...others] = published;
  assert.ok(sampled);
  assert.deepEqual(others, [caused('00'), messageIn({})], 'what is in no sampled trace stays as it is');
  let processed: string | undefined;
  await processTraced({ ...sampled, delivery: 1 }, 'webhooks', async () => {
    processed = currentTrace()?.requestId;
  });
  assert.equal(processed, 'req_1');
  const [send, process, ...more] = await collecting.spans();
  assert.deepEqual(more, []);
  assert.deepEqual(
    [send?.name, send?.kind, send?.traceId, send?.parentSpanId],
    [`send ${TOPIC}`, PRODUCER, TRACE, CAUSE],
  );
  assert.deepEqual(
    [process?.name, process?.kind, process?.traceId, process?.parentSpanId],
    [`process ${TOPIC}`, CONSUMER, TRACE, send?.spanId],
  );
});

test('a failed attempt has a span too, with its error status', async () => {
  await using collecting = await startCollecting();
  const away = publishTraced([caused('01')], async () => {
    throw new TypeError('the bus is away');
  });
  await assert.rejects(away, /the bus is away/);
  const [send, ...more] = await collecting.spans();
  assert.deepEqual(more, []);
  assert.equal(send?.status?.code, 2);
  assert.match(JSON.stringify(send.attributes), /TypeError/);
});
