/** Generates docs/reference/metrics.md from the metrics of every process. */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { MetricDefinition } from '@audiosplit/chassis/observability/metric-definition';
import { METRICS, METRICS_OF, PROCESS_NAMES } from './metrics.ts';

export const METRICS_PAGE = fileURLToPath(new URL('../../docs/reference/metrics.md', import.meta.url));

const SERVICES = PROCESS_NAMES.filter((name) => name !== 'gateway');

const INTRODUCTION = `# Metrics

Written by \`npm run generate -- metrics\` from the \`src/metrics.ts\` of the gateway and of each service, and from the chassis'
\`observability/shared-metrics.ts\`. A test compares this page with them, and another finds data for each metric in a run of
the whole product.

With \`METRICS_PORT\` set, a process answers \`GET /metrics\` in Prometheus' text format on a port of its own
(\`METRICS_HOST\`, every address by default, 127.0.0.1 for \`npm start\`), which is not meant for the public. Without it
nothing is measured. Each process is a target; the embedded run is one with all metrics.

- A counter or histogram whose label values are all listed here begins at zero. The others begin with their first event.
- *Shared* figures are those of the whole installation: every replica shows the same, so take \`max\`, not \`sum\`.
- A gauge that cannot be read within 5 s is left out of the scrape and counted in \`audiosplit_metrics_read_failures_total\`.
- For autoscaling: \`max(audiosplit_jobs_runnable)\` with the sums of \`audiosplit_splitter_slots_busy\` and \`…_waiting\` is the number of slots that splitters
  could fill now. Queued jobs beyond their account's cap are not in it, as no splitter could take them.
- The process itself shows in the customary names of prom-client: \`process_cpu_seconds_total\`,
  \`process_resident_memory_bytes\`, \`process_open_fds\`, \`process_start_time_seconds\`, \`nodejs_eventloop_lag_seconds\`,
  \`nodejs_eventloop_lag_p99_seconds\`, \`nodejs_gc_duration_seconds\`, \`nodejs_heap_size_used_bytes\` and so on.
`;

export function renderMetricsPage(): string {
  const rows = Object.entries<MetricDefinition>(METRICS).map(([name, metric]) => {
    const { type, help, buckets = [] } = metric;
    const shownBy = processesOf(name, metric);
    return `| \`${name}\` | ${type} | ${help} | ${labelsOf(metric)} | ${shownBy} | ${buckets.join(', ')} |`;
  });
  return [
    INTRODUCTION,
    '| metric | type | what | labels | shown by | buckets |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function labelsOf({ labels }: MetricDefinition): string {
  return Object.entries(labels)
    .map(([label, values]) => {
      const listed = typeof values === 'string' ? values : values.map((value) => `\`${value}\``).join(', ');
      return `\`${label}\`: ${listed}`;
    })
    .join('; ');
}

function processesOf(metric: string, { isShared }: MetricDefinition): string {
  const showing = PROCESS_NAMES.filter((process) => metric in METRICS_OF[process]);
  const names = showing.length === PROCESS_NAMES.length ? 'all' : showing.join(', ');
  return `${names === SERVICES.join(', ') ? 'all services' : names}${isShared ? ' (shared)' : ''}`;
}

// `npm run generate -- metrics`
if (import.meta.main) await writeFile(METRICS_PAGE, renderMetricsPage());
