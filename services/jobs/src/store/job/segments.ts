/** Segments of completed jobs. Only this file names their columns. */
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Segment } from '../../job.ts';

/** Column and type of each field. */
const COLUMNS: { readonly [F in keyof Segment]-?: readonly [name: string, type: string] } = {
  index: ['index', 'integer'],
  objectKey: ['object_key', 'text'],
  fileName: ['file_name', 'text'],
  contentType: ['content_type', 'text'],
  startMs: ['start_ms', 'bigint'],
  durationMs: ['duration_ms', 'bigint'],
  sizeBytes: ['size_bytes', 'bigint'],
  contentStartMs: ['content_start_ms', 'bigint'],
  endKind: ['end_kind', 'text'],
  title: ['title', 'text'],
  sizeIsEstimate: ['size_is_estimate', 'boolean'],
  location: ['location', 'text'],
};
const FIELDS = Object.keys(COLUMNS) as (keyof Segment)[];
const NAMES = Object.values(COLUMNS).map(([name]) => name);
const SELECTED = FIELDS.map((field) => `${COLUMNS[field][0]} as "${field}"`).join();

/** Part of a statement on `jobs`: the job's segments as JSON, null without any. */
export const SEGMENTS_AS_JSON = `(select json_agg(json_strip_nulls(json_build_object(${FIELDS.map(
  (field) => `'${field}', ${COLUMNS[field][0]}`,
)})) order by index) from segments where job_id = jobs.id)`;

/**
 * Part of a statement that inserts segments of job $1 from `segmentValues`; `$first` is the first of these.
 */
export function insertSegments(first: number): string {
  const arrays = Object.values(COLUMNS).map(([, type], n) => `$${first + n}::${type}[]`);
  return `insert into segments (job_id, ${NAMES}) select $1, * from unnest(${arrays})`;
}

export function segmentValues(segments: readonly Segment[]): readonly unknown[] {
  return FIELDS.map((field) => segments.map((segment) => segment[field]));
}

export async function listSegments(db: Queryable, jobId: string): Promise<Segment[]> {
  const { rows } = await db.query<Segment>(
    `select ${SELECTED} from segments where job_id = $1 order by index`,
    [jobId],
  );
  return rows.map(fromRow);
}

/** By job id. */
export async function listSegmentsOf(
  db: Queryable,
  jobIds: readonly string[],
): Promise<ReadonlyMap<string, Segment[]>> {
  const { rows } = await db.query<Segment & { jobId: string }>(
    `select job_id as "jobId", ${SELECTED} from segments where job_id = any($1) order by job_id, index`,
    [jobIds],
  );
  const segments = new Map<string, Segment[]>();
  for (const { jobId, ...segment } of rows) {
    const ofJob = segments.get(jobId);
    if (ofJob === undefined) segments.set(jobId, [fromRow(segment)]);
    else ofJob.push(fromRow(segment));
  }
  return segments;
}

/** Omits null fields. */
function fromRow(row: Segment): Segment {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as unknown as Segment;
}
