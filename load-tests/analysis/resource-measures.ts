/**
 * What is read of a process, out of what it tells at /metrics (docs/reference/metrics.md), and of folders; and by how much each may grow
 * in a run.
 *
 * Growth is allowed by a share or by an absolute amount, whichever is more: a process that holds five connections may come to
 * hold eight, and one of 150 MB is not the same twice. A measure without a bound is shown and not judged.
 */

export interface ResourceMeasure {
  readonly title: string;
  readonly unit: string;
  /** Undefined where a process does not have it. */
  readonly read: (page: MetricsPage) => number | undefined;
  readonly mayGrow?: { readonly share: number; readonly least: number };
  /** What stands for a quarter of the run: its median, or what is left when garbage has just been collected. */
  readonly of: 'median' | 'least';
  /** Garbage is part of it until a major collection. */
  readonly holdsGarbage?: true;
}

export interface MetricsPage {
  /** Of all series of that name with these labels; undefined without one. */
  sum(name: string, labels?: string): number | undefined;
}

const BYTES_PER_MB = 1_000_000;
const COUNTED = { share: 0.1, least: 10 } as const;
/** Each of these is there for moments only, and few at a time. */
const MOMENTARY = { share: 0.1, least: 5 } as const;

export const RESOURCE_MEASURES = {
  resident: {
    title: 'resident memory',
    unit: 'MB',
    read: inMegabytes('process_resident_memory_bytes'),
    mayGrow: { share: 0.15, least: 24 },
    of: 'median',
    holdsGarbage: true,
  },
  heap: {
    title: 'heap in use',
    unit: 'MB',
    read: inMegabytes('nodejs_heap_size_used_bytes'),
    mayGrow: { share: 0.15, least: 12 },
    of: 'least',
    holdsGarbage: true,
  },
  external: {
    title: 'memory outside of the heap',
    unit: 'MB',
    read: inMegabytes('nodejs_external_memory_bytes'),
    mayGrow: { share: 0.15, least: 12 },
    of: 'least',
    holdsGarbage: true,
  },
  descriptors: {
    title: 'open descriptors',
    unit: '',
    read: (page) => page.sum('process_open_fds'),
    mayGrow: COUNTED,
    of: 'median',
  },
  handles: {
    title: 'timers, sockets and requests that Node waits for',
    unit: '',
    read: (page) => page.sum('nodejs_active_resources_total'),
    mayGrow: COUNTED,
    of: 'median',
  },
  connections: {
    title: 'database connections in use',
    unit: '',
    read: (page) => page.sum('audiosplit_postgres_pool_connections', 'state="busy"'),
    mayGrow: MOMENTARY,
    of: 'median',
  },
  waiting: {
    title: 'queries that wait for a connection',
    unit: '',
    read: (page) => page.sum('audiosplit_postgres_pool_waiting'),
    mayGrow: MOMENTARY,
    of: 'median',
  },
  outbox: {
    title: 'events not on the bus yet',
    unit: '',
    read: (page) => page.sum('audiosplit_outbox_backlog_messages'),
    mayGrow: MOMENTARY,
    of: 'median',
  },
  lag: {
    title: 'messages not consumed yet',
    unit: '',
    read: (page) => page.sum('audiosplit_event_bus_lag_messages'),
    mayGrow: MOMENTARY,
    of: 'median',
  },
  queued: {
    title: 'jobs that no worker has begun',
    unit: '',
    read: (page) => page.sum('audiosplit_jobs_queued'),
    mayGrow: MOMENTARY,
    of: 'median',
  },
  inFlight: {
    title: 'requests in flight',
    unit: '',
    read: (page) => page.sum('audiosplit_http_requests_in_flight'),
    mayGrow: MOMENTARY,
    of: 'median',
  },
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

function inMegabytes(name: string): ResourceMeasure['read'] {
  return (page) => times(page.sum(name), 1 / BYTES_PER_MB);
}

function times(value: number | undefined, factor: number): number | undefined {
  return value === undefined ? undefined : value * factor;
}
