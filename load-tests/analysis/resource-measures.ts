/**
 * The values read from a process at /metrics (docs/reference/metrics.md) and from folders, and by how much
 * each may grow in a run.
 *
 * Growth is allowed by a fraction or by an absolute amount, whichever is more: a process with five
 * connections may grow to eight. A measure without a bound is shown and not judged.
 */

interface ResourceMeasure {
  readonly title: string;
  readonly unit: string;
  /** The metric in the process's page; folders have none. */
  readonly metric?: string;
  /** The label of the metric's series. */
  readonly label?: string;
  /** Converts the metric's unit to this one. */
  readonly factor?: number;
  readonly mayGrow?: { readonly share: number; readonly least: number };
  /**
   * The value that represents a quarter of the run: its median, or its minimum, which is what remains after a
   * collection.
   */
  readonly of: 'median' | 'least';
  /** It includes garbage until a major collection. */
  readonly holdsGarbage?: true;
}

const BYTES_PER_MB = 1_000_000;

const RESOURCE_MEASURES = {
  resident: memory('resident memory', 'process_resident_memory_bytes', 'median', 24),
  heap: memory('heap in use', 'nodejs_heap_size_used_bytes', 'least', 12),
  external: memory('memory outside of the heap', 'nodejs_external_memory_bytes', 'least', 12),
  descriptors: counted('open descriptors', 'process_open_fds', 10),
  handles: counted('timers, sockets and requests that Node waits for', 'nodejs_active_resources_total', 10),
  // Each connection exists only for moments, and few at a time.
  connections: {
    ...counted('database connections in use', 'audiosplit_postgres_pool_connections', 5),
    label: 'state="busy"',
  },
  waiting: counted('queries that wait for a connection', 'audiosplit_postgres_pool_waiting', 5),
  outbox: counted('events not on the bus yet', 'audiosplit_outbox_backlog_messages', 5),
  lag: counted('messages not consumed yet', 'audiosplit_event_bus_lag_messages', 5),
  queued: counted('jobs that no worker has begun', 'audiosplit_jobs_queued', 5),
  inFlight: counted('requests in flight', 'audiosplit_http_requests_in_flight', 5),
  loopLag: {
    title: 'delay of the event loop, p99 since the last look',
    unit: 'ms',
    metric: 'nodejs_eventloop_lag_p99_seconds',
    factor: 1_000,
    of: 'median',
  },
  scratch: { title: 'scratch files', unit: 'MB', mayGrow: { share: 0.1, least: 50 }, of: 'median' },
  disk: { title: 'files', unit: 'MB', of: 'median' },
} as const satisfies Record<string, ResourceMeasure>;

export type MeasureName = keyof typeof RESOURCE_MEASURES;
export const MEASURE_NAMES = Object.keys(RESOURCE_MEASURES) as readonly MeasureName[];

export function measureNamed(name: MeasureName): ResourceMeasure {
  return RESOURCE_MEASURES[name];
}

export interface ResourceReading {
  /** Another start time means another process with the same name. */
  readonly startedAtSeconds: number | undefined;
  readonly majorCollections: number;
  readonly values: Readonly<Partial<Record<MeasureName, number>>>;
}

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;

export function readResources(text: string): ResourceReading {
  const samples = text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = SAMPLE.exec(line) ?? [];
    return name === undefined ? [] : [{ name, labels: labels.split(','), value: Number(value) }];
  });
  const byName = Map.groupBy(samples, ({ name }) => name);
  /** The sum of all series of that name with this label; undefined if there is none. */
  const sum = (metric = '', label?: string) => {
    const found = (byName.get(metric) ?? []).filter(
      ({ labels, value }) => Number.isFinite(value) && (label === undefined || labels.includes(label)),
    );
    return found.length === 0 ? undefined : found.reduce((total, { value }) => total + value, 0);
  };
  const values = MEASURE_NAMES.flatMap((name) => {
    const { metric, label, factor = 1 } = measureNamed(name);
    const value = sum(metric, label);
    return value === undefined ? [] : [[name, value * factor] as const];
  });
  return {
    startedAtSeconds: sum('process_start_time_seconds'),
    majorCollections: sum('nodejs_gc_duration_seconds_count', 'kind="major"') ?? 0,
    values: Object.fromEntries(values),
  };
}

/** A reading of a folder. */
export function diskReading(measure: 'scratch' | 'disk', bytes: number): ResourceReading {
  return { startedAtSeconds: undefined, majorCollections: 0, values: { [measure]: bytes / BYTES_PER_MB } };
}

function memory(title: string, metric: string, of: ResourceMeasure['of'], least: number): ResourceMeasure {
  const mayGrow = { share: 0.15, least };
  return { title, unit: 'MB', metric, factor: 1 / BYTES_PER_MB, mayGrow, of, holdsGarbage: true };
}

function counted(title: string, metric: string, least: number): ResourceMeasure {
  return { title, unit: '', metric, mayGrow: { share: 0.1, least }, of: 'median' };
}
