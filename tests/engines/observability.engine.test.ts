/**
 * The observability data of separate processes for one job: one trace through all of them, and metrics from
 * each.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { countedSpans } from '@audiosplit/chassis/testing/counted-spans';
import { type CollectedSpan, startTraceCollector } from '@audiosplit/chassis/testing/trace-collector';
import { until } from '@audiosplit/chassis/testing/until';
import type { ProcessesInstallation } from '../harness/installation/processes.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';
import { METRICS_OF, PROCESS_NAMES, type ProcessName } from '../harness/metrics.ts';
import { startReceiver } from '../harness/servers/receiver.ts';
import { startSources } from '../harness/servers/sources.ts';
import { consumedEvents, SPAN_KIND, spansWithoutParent } from '../harness/spans.ts';

const CREATE = 'POST /api/v1/splits';
const REQUESTS_PER_MINUTE = 600;
const TIMEOUT_MS = 60_000;

/** The processes and what each does for a job, in the order of its life. */
const STAGES = [
  ['gateway', CREATE],
  ['jobs', 'audiosplit.jobs.v1.JobsService/CreateJob'],
  ['splitter', 'audiosplit.splitter.v1.SplitterService/InspectSource'],
  ['jobs', 'send audiosplit.split-requests'],
  ['splitter', 'process audiosplit.split-requests'],
  ['splitter', 'attempt at a job'],
  ['splitter', 'fetch source'],
  ['splitter', 'split'],
  ['splitter', 'run ffmpeg'],
  ['splitter', 'store segments'],
  ['jobs', 'audiosplit.jobs.v1.JobLeaseService/CompleteJob'],
  ['jobs', 'send audiosplit.splits'],
  ['webhooks', 'process audiosplit.splits'],
  ['billing', 'process audiosplit.splits'],
  ['webhooks', 'deliver notification'],
] as const;

/** Metrics that must be above zero after a job, with the process that reports each. */
const FIGURES: readonly (readonly [ProcessName, string])[] = [
  [
    'gateway',
    'audiosplit_http_request_duration_seconds_count{method="POST",route="/api/v1/splits",status_class="2xx"}',
  ],
  ['auth', 'audiosplit_rpc_server_duration_seconds_count{rpc_service="audiosplit.auth.v1.AuthService"'],
  ['account', 'audiosplit_postgres_pool_max_connections'],
  ['jobs', 'audiosplit_event_bus_published_total{topic="audiosplit.split-requests",outcome="published"}'],
  ['jobs', 'audiosplit_job_duration_seconds_count{outcome="completed",output_format="flac"}'],
  ['splitter', 'audiosplit_job_attempt_duration_seconds_count{'],
  [
    'billing',
    'audiosplit_event_bus_consumed_total{group="billing",topic="audiosplit.splits",outcome="handled"}',
  ],
  ['webhooks', 'audiosplit_webhook_deliveries_total{outcome="delivered"}'],
];

describe('telemetry of separate processes about a job', () => {
  let spans: readonly CollectedSpan[];
  /** From every process of that name, one after the other. */
  const pages = new Map<string, string>();
  let received: readonly CollectedSpan[];
  const resources = new AsyncDisposableStack();

  before(async () => {
    const collector = resources.use(await startTraceCollector());
    const sources = resources.use(await startSources());
    const receiver = resources.use(await startReceiver());
    const installation = resources.use(
      await startInstallation({
        kind: 'processes',
        name: 'observability',
        replicas: { splitter: 2 },
        code: 'compiled',
        env: {
          OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
          METRICS_PORT: '0',
          METRICS_HOST: '127.0.0.1',
        },
      }),
    );
    const { client } = await installation.openAccount({
      limits: { requestsPerMinute: REQUESTS_PER_MINUTE },
    });
    const { id } = await client.createSplit({
      sourceUrl: sources.url(),
      // The source is mp3, so that ffmpeg is needed.
      outputFormat: 'flac',
      splitMode: 'duration',
      segmentDuration: 10,
      webhookUrl: receiver.url,
    });
    await client.waitForJob(id, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    // The notifications of the start and of the end. A delivery's span ends after the response.
    const deliveries = async () =>
      sumOf(await scrapeAll(installation, 'webhooks'), 'audiosplit_webhook_deliveries_total');
    await until(async () => (await deliveries()) === 2, 'both notifications are delivered', TIMEOUT_MS);
    const areExported = async () => {
      for (const name of PROCESS_NAMES) pages.set(name, await scrapeAll(installation, name));
      const { started, exported } = countedSpans([...pages.values()].join('\n'));
      return exported === started;
    };
    await until(areExported, 'all spans have ended and are exported', TIMEOUT_MS);
    await installation.stop();
    received = collector.spans;
    const { traceId } = collector.spans.find(({ name }) => name === CREATE) ?? assert.fail('no trace');
    spans = collector.spans.filter((span) => span.traceId === traceId);
  });
  after(() => resources.disposeAsync());

  test('every stage of a job is exported by its own process, under one trace id', () => {
    const exposed = new Set(spans.map(({ serviceName, name }) => `${serviceName} ${name}`));
    const stages = STAGES.map(([process, stage]) => `audiosplit-${process} ${stage}`);
    const missing = stages.filter((stage) => !exposed.has(stage));
    assert.deepEqual(missing, [], [...exposed].join('\n'));
  });

  test('every span that a process counts as started has been received', () => {
    for (const process of PROCESS_NAMES) {
      const { length } = received.filter(({ serviceName }) => serviceName === `audiosplit-${process}`);
      const expected = { started: length, exported: length, failed: 0, dropped: 0 };
      assert.deepEqual(countedSpans(pages.get(process) ?? ''), expected, process);
    }
  });

  test("the span of an event's consumer has the span of its publisher as parent", () => {
    for (const { span, sent } of consumedEvents(spans)) assert.notEqual(sent.serviceName, span.serviceName);
  });

  test('every span has a received parent, except the first', () => {
    const [first, ...loose] = spansWithoutParent(spans);
    assert.deepEqual([first?.name, first?.parentSpanId ?? '', loose], [CREATE, '', []]);
  });

  test('every call between processes has a span on both sides, in different processes', () => {
    const rpcs = spans.filter(({ name }) => name.startsWith('audiosplit.'));
    const calls = rpcs.filter(({ kind }) => kind === SPAN_KIND.client);
    const answers = rpcs.filter(({ kind }) => kind === SPAN_KIND.server);
    assert.ok(calls.length > 3);
    for (const call of calls) {
      const answer = answers.find(({ parentSpanId }) => parentSpanId === call.spanId);
      assert.equal(answer?.name, call.name);
      assert.notEqual(answer.serviceName, call.serviceName);
    }
    assert.equal(answers.length, calls.length);
  });

  test('every process exposes the metrics that docs/reference/metrics.md lists for it', () => {
    for (const process of PROCESS_NAMES) {
      const types = pages.get(process)?.matchAll(/^# TYPE (audiosplit_\w+) /gm) ?? [];
      const exposed = new Set(Array.from(types, ([, name]) => name));
      assert.deepEqual([...exposed].sort(), Object.keys(METRICS_OF[process]).sort(), process);
    }
  });

  test('each process counts its own work', () => {
    for (const [process, series] of FIGURES)
      assert.ok(sumOf(pages.get(process) ?? '', series) > 0, `${process}: ${series}`);
  });
});

/** The sum of the series that begin with this text. */
function sumOf(page: string, series: string): number {
  return page
    .split('\n')
    .filter((line) => line.startsWith(series))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

async function scrapeAll({ processes }: ProcessesInstallation, name: string): Promise<string> {
  const ofName = processes.names().filter((each) => each.replace(/-\d+$/, '') === name);
  const exposed = await Promise.all(ofName.map((each) => processes.metrics(each)));
  return exposed.map((page, n) => page ?? assert.fail(`${ofName[n]} answers no scrape`)).join('\n');
}
