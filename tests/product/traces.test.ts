/**
 * One trace for a job's whole life: from the request through services, bus and splitter to the notification.
 */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type CountedSpans, countedSpans } from '@audiosplit/chassis/testing/counted-spans';
import { type CollectedSpan, startTraceCollector } from '@audiosplit/chassis/testing/trace-collector';
import { until } from '@audiosplit/chassis/testing/until';
import { startObservedRun } from '../harness/installation/observed-run.ts';
import { consumedEvents, SPAN_KIND, spansWithoutParent } from '../harness/spans.ts';

const JOB_TRACE = '11111111111111111111111111111111';
const CALLER_SPAN = '2222222222222222';
const UNSAMPLED = '33333333333333333333333333333333';
const header = (traceId: string, flags: string) => ({ traceparent: `00-${traceId}-${CALLER_SPAN}-${flags}` });

describe('the trace of a job', () => {
  let all: readonly CollectedSpan[];
  let spans: readonly CollectedSpan[];
  let counted: CountedSpans;

  before(async () => {
    await using collector = await startTraceCollector();
    {
      await using run = await startObservedRun({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
      const sourceUrl = `${run.baseUrl}/samples/tour.mp3`;
      // The source is mp3, so that ffmpeg is needed.
      const request = { sourceUrl, outputFormat: 'flac', webhookUrl: `${run.receiver.url}/hook` };
      const { status } = await run.split(request, header(JOB_TRACE, '01'));
      assert.equal(status, 'completed');
      await run.split({ sourceUrl }, header(UNSAMPLED, '00'));
      // The notifications of the start and of the end. A delivery's span ends after the response.
      const delivered = /^audiosplit_webhook_deliveries_total\{outcome="delivered"\} 2$/m;
      await until(async () => delivered.test(await run.scrape()), 'both notifications are delivered');
      await until(async () => {
        counted = countedSpans(await run.scrape());
        return counted.exported === counted.started;
      }, 'all spans have ended and are exported');
    }
    all = collector.spans;
    spans = all.filter(({ traceId }) => traceId === JOB_TRACE);
  });

  test('has every stage of its life', () => {
    const names = new Set(spans.map(({ name }) => name));
    const stages = [
      'POST /api/v1/splits',
      'audiosplit.jobs.v1.JobsService/CreateJob',
      'audiosplit.splitter.v1.SplitterService/InspectSource',
      'send audiosplit.split-requests',
      'process audiosplit.split-requests',
      'audiosplit.jobs.v1.JobLeaseService/ClaimJob',
      'attempt at a job',
      'fetch source',
      'split',
      'run ffmpeg',
      'store segments',
      'audiosplit.jobs.v1.JobLeaseService/CompleteJob',
      'send audiosplit.splits',
      'process audiosplit.splits',
      'deliver notification',
    ];
    const missing = stages.filter((stage) => !names.has(stage));
    assert.deepEqual(missing, [], [...names].join(', '));
  });

  test('is connected: every span has a received parent, the first has the caller’s', () => {
    const [first, ...loose] = spansWithoutParent(spans);
    assert.deepEqual([first?.name, first?.parentSpanId], ['POST /api/v1/splits', CALLER_SPAN]);
    assert.deepEqual(loose, []);
  });

  test('is complete: every span that the product counts as started has been received', () => {
    assert.deepEqual(counted, { started: all.length, exported: all.length, failed: 0, dropped: 0 });
  });

  test('continues from an event through the outbox and the bus to its consumers', () => {
    for (const { sent } of consumedEvents(spans)) {
      const written = spans.find(({ spanId }) => spanId === sent.parentSpanId);
      assert.equal(written?.kind, SPAN_KIND.server, 'a call has written it');
    }
  });

  test('has one span for all work of ffmpeg, within the splitting', () => {
    const [ffmpeg, ...more] = spans.filter(({ name }) => name === 'run ffmpeg');
    assert.deepEqual(more, []);
    assert.equal(spans.find(({ spanId }) => spanId === ffmpeg?.parentSpanId)?.name, 'split');
    assert.match(JSON.stringify(ffmpeg?.attributes), /audiosplit\.ffmpeg\.processes/);
  });

  test('includes both notifications', () => {
    assert.equal(spans.filter(({ name }) => name === 'deliver notification').length, 2);
  });

  test('includes each call on both sides', () => {
    const calls = spans.filter(({ name, kind }) => name.includes('/') && kind === SPAN_KIND.client);
    const answers = spans.filter(
      ({ name, kind }) => name.startsWith('audiosplit.') && kind === SPAN_KIND.server,
    );
    assert.ok(calls.length > 3);
    assert.deepEqual(
      answers.map(({ name, parentSpanId }) => `${name} ${parentSpanId}`).sort(),
      calls.map(({ name, spanId }) => `${name} ${spanId}`).sort(),
    );
  });

  test('contains no data of the caller, and its spans have a duration', () => {
    assert.doesNotMatch(JSON.stringify(spans), /https?:|tour\.mp3|ask_/);
    for (const { name, startTimeUnixNano, endTimeUnixNano } of spans) {
      assert.ok(BigInt(endTimeUnixNano) >= BigInt(startTimeUnixNano), name);
    }
  });

  test('is not exported if the caller has not sampled it; without a caller’s trace it starts at the gateway', () => {
    assert.ok(all.every(({ traceId }) => traceId !== UNSAMPLED));
    const others = all.filter(({ traceId }) => traceId !== JOB_TRACE);
    const first = others.find(({ name }) => name === 'GET /api/v1/splits/:jobId');
    assert.ok(first !== undefined && !first.parentSpanId);
  });
});
