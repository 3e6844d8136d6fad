/**
 * What is read of a process at /metrics (docs/reference/metrics.md) and of folders, and by how much each may grow in a run.
 *
 * Growth is allowed by a share or by an absolute amount, whichever is more: a process that holds five connections may come to
 * hold eight. A measure without a bound is shown and not judged.
 */

export interface ResourceMeasure {
  readonly title: string;
  readonly unit: string;
  /** Undefined where a process does not have it. */
  readonly read: (page: MetricsPage) => number | undefined;
  readonly mayGrow?: { readonly share: number; readonly least: number };
  /** What stands for a quarter of the run: its median, or its least, which is what remains after a collection. */
  readonly of: 'median' | 'least';
  /** Garbage is part of it until a major collection. */
  readonly holdsGarbage?: true;
}

export interface MetricsPage {
  /** Of all series of that name with these labels; undefined without one. */
  sum(name: string, labels?: string): number | undefined;
}

const BYTES_PER_MB = 1_000_000;

export const RESOURCE_MEASURES = {
  resident: memory('resident memory', 'process_resident_memory_bytes', 'median', 24),
  heap: memory('heap in use', 'nodejs_heap_size_used_bytes', 'least', 12),
  external: memory('memory outside of the heap', 'nodejs_external_memory_bytes', 'least', 12),
  descriptors: held('open descriptors', 'process_open_fds'),
  handles: held('timers, sockets and requests that Node waits for', 'nodejs_active_resources_total'),
  connections: momentary(
    'database connections in use',
    'audiosplit_postgres_pool_connections',
    'state="busy"',
  ),
  waiting: momentary('queries that wait for a connection', 'audiosplit_postgres_pool_waiting'),
  outbox: momentary('events not on the bus yet', 'audiosplit_outbox_backlog_messages'),
  lag: momentary('messages not consumed yet', 'audiosplit_event_bus_lag_messages'),
  queued: momentary('jobs that no worker has begun', 'audiosplit_jobs_queued'),
  inFlight: momentary('requests in flight', 'audiosplit_http_requests_in_flight'),
  loopLag: {
    title: 'delay of the event loop, p99 since the last look',
    unit: 'ms',
    read: (page) => times(page.sum('nodejs_eventloop_lag_p99_seconds'), 1_000),
    of: 'median',
  },
  scratch: {
    title: 'scratch files',
    unit: 'MB',
    read: () => undefined,
    mayGrow: { share: 0.1, least: 50 },
    of: 'median',
  },
  disk: { title: 'files', unit: 'MB', read: () => undefined, of: 'median' },
} as const satisfies Record<string, ResourceMeasure>;

export type MeasureName = keyof typeof RESOURCE_MEASURES;
export const MEASURE_NAMES = Object.keys(RESOURCE_MEASURES) as readonly MeasureName[];

export function measureNamed(name: MeasureName): ResourceMeasure {
  return RESOURCE_MEASURES[name];
}

export interface ResourceReading {
  /** Another start is another process under the same name. */
  readonly startedAtSeconds: number | undefined;
  readonly majorCollections: number;
  readonly values: Readonly<Partial<Record<MeasureName, number>>>;
}

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;

export function readResources(text: string): ResourceReading {
  const page = parsePage(text);
  const values = MEASURE_NAMES.flatMap((name) => {
    const value = RESOURCE_MEASURES[name].read(page);
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    startedAtSeconds: page.sum('process_start_time_seconds'),
    majorCollections: page.sum('nodejs_gc_duration_seconds_count', 'kind="major"') ?? 0,
    values: Object.fromEntries(values),
  };
}

/** Of a folder. */
export function diskReading(measure: 'scratch' | 'disk', bytes: number): ResourceReading {
  return { startedAtSeconds: undefined, majorCollections: 0, values: { [measure]: bytes / BYTES_PER_MB } };
}

function parsePage(text: string): MetricsPage {
  const samples = text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = SAMPLE.exec(line) ?? [];
    return name === undefined ? [] : [{ name, labels: labels.split(','), value: Number(value) }];
  });
  const byName = Map.groupBy(samples, ({ name }) => name);
  return {
    sum(name, label) {
      const found = (byName.get(name) ?? []).filter(
        ({ labels, value }) => Number.isFinite(value) && (label === undefined || labels.includes(label)),
      );
      return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
    },
  };
}

function memory(title: string, metric: string, of: 'median' | 'least', least: number): ResourceMeasure {
  const read = (page: MetricsPage) => times(page.sum(metric), 1 / BYTES_PER_MB);
  return { title, unit: 'MB', read, mayGrow: { share: 0.15, least }, of, holdsGarbage: true };
}

function held(title: string, metric: string): ResourceMeasure {
  return counted(title, 10, (page) => page.sum(metric));
}

/** Each of these is there for moments only, and few at a time. */
function momentary(title: string, metric: string, labels?: string): ResourceMeasure {
  return counted(title, 5, (page) => page.sum(metric, labels));
}

function counted(title: string, least: number, read: ResourceMeasure['read']): ResourceMeasure {
  return { title, unit: '', read, mayGrow: { share: 0.1, least }, of: 'median' };
}

function times(value: number | undefined, factor: number): number | undefined {
  return value === undefined ? undefined : value * factor;
}
