/** Assertions about the spans of one trace. */
import assert from 'node:assert/strict';
import type { CollectedSpan } from '@audiosplit/chassis/testing/trace-collector';

/** The numbers that OTLP uses. */
export const SPAN_KIND = { server: 2, client: 3, producer: 4, consumer: 5 } as const;

/** The spans whose parent has not been received. */
export function spansWithoutParent(spans: readonly CollectedSpan[]): readonly CollectedSpan[] {
  const received = new Set(spans.map(({ spanId }) => spanId));
  assert.equal(received.size, spans.length, 'no span came twice');
  return spans.filter(({ parentSpanId = '' }) => !received.has(parentSpanId));
}

/** Returns each consumed event with the span that sent it. */
export function consumedEvents(spans: readonly CollectedSpan[]) {
  const consumed = spans.filter(({ kind }) => kind === SPAN_KIND.consumer);
  assert.ok(consumed.length > 2);
  return consumed.map((span) => {
    const sent = spans.find(({ spanId }) => spanId === span.parentSpanId) ?? assert.fail(span.name);
    assert.deepEqual([sent.name, sent.kind], [span.name.replace('process', 'send'), SPAN_KIND.producer]);
    return { span, sent };
  });
}
