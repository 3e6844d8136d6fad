/** A typical jobs service: connect-node, node-postgres, four round trips per creation, and `count(*)` for each page. */
import { fromCutFields, toCutFields } from '@audiosplit/proto/cut';
import {
  type JobSchema,
  JobStatus,
  JobsService,
  OutputFormat,
  type SegmentSchema,
} from '@audiosplit/proto/jobs/v1/jobs';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, type ConnectRouter, type HandlerContext } from '@connectrpc/connect';
import pg from 'pg';
import { newJobId, STOCK_SCHEMA } from './jobs-database.ts';

/** Header in which the stock gateway names the account. */
export const ACCOUNT_HEADER = 'x-account-id';
const MAX_CONNECTIONS = 10;

const INSERT_JOB = `insert into jobs (id, account_id, status, source_url, split_mode, segment_duration_seconds,
    output_format, webhook_url, metadata)
  values ($1, $2, 'queued', $3, 'duration', $4, 'mp3', $5, $6) returning *`;
const INSERT_EVENT = `insert into outbox (topic, key, value, headers) values ('split-requested', $1, $2, '{}')`;
const FIND_JOB = 'select * from jobs where account_id = $1 and id = $2';
const SEGMENTS = 'select * from segments where job_id = $1 order by index';
const PAGE = `select * from jobs where account_id = $1 order by created_at desc, id desc limit $2 offset $3`;
const COUNT = 'select count(*) as total from jobs where account_id = $1';

interface JobRow {
  readonly id: string;
  readonly status: 'queued' | 'completed';
  readonly source_url: string;
  readonly segment_duration_seconds: number;
  readonly webhook_url: string | null;
  readonly metadata: unknown;
  readonly created_at: Date;
  readonly completed_at: Date | null;
  readonly segment_count: number | null;
}

interface SegmentRow {
  readonly index: number;
  readonly object_key: string;
  readonly file_name: string;
  readonly start_ms: string;
  readonly duration_ms: string;
  readonly size_bytes: string;
}

export function stockJobsRoutes(databaseUrl: string): (router: ConnectRouter) => void {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: MAX_CONNECTIONS,
    options: `-c search_path=${STOCK_SCHEMA}`,
  });
  return (router) => {
    router.service(JobsService, {
      async createJob({ request, webhookUrl, metadataJson }, context) {
        const client = await pool.connect();
        try {
          const id = newJobId();
          await client.query('begin');
          const { rows } = await client.query<JobRow>(INSERT_JOB, [
            id,
            accountOf(context),
            request?.sourceUrl,
            toCutFields(request?.cut)?.segmentDuration,
            webhookUrl,
            metadataJson,
          ]);
          await client.query(INSERT_EVENT, [id, Buffer.from(JSON.stringify({ jobId: id }))]);
          await client.query('commit');
          return { job: found(rows) };
        } catch (error) {
          await client.query('rollback');
          throw error;
        } finally {
          client.release();
        }
      },
      async getJob({ jobId }, context) {
        const { rows } = await pool.query<JobRow>(FIND_JOB, [accountOf(context), jobId]);
        const { rows: segments } = await pool.query<SegmentRow>(SEGMENTS, [jobId]);
        return { job: found(rows, segments) };
      },
      async listJobs({ page, limit }, context) {
        const accountId = accountOf(context);
        const { rows: jobs } = await pool.query<JobRow>(PAGE, [accountId, limit, (page - 1) * limit]);
        const { rows: counts } = await pool.query<{ total: string }>(COUNT, [accountId]);
        return { jobs: jobs.map((job) => toProtoJob(job)), total: BigInt(counts[0]?.total ?? 0) };
      },
    });
  };
}

function accountOf({ requestHeader }: HandlerContext): string {
  return requestHeader.get(ACCOUNT_HEADER) ?? '';
}

function found([row]: readonly JobRow[], segments?: readonly SegmentRow[]) {
  if (row === undefined) throw new ConnectError('there is no such job', Code.NotFound);
  return toProtoJob(row, segments);
}

function toProtoJob(row: JobRow, segments: readonly SegmentRow[] = []): MessageInitShape<typeof JobSchema> {
  return {
    id: row.id,
    status: row.status === 'queued' ? JobStatus.QUEUED : JobStatus.COMPLETED,
    request: {
      sourceUrl: row.source_url,
      cut: fromCutFields({ splitMode: 'duration', segmentDuration: row.segment_duration_seconds }),
      outputFormat: OutputFormat.MP3,
    },
    ...(row.webhook_url === null ? {} : { webhookUrl: row.webhook_url }),
    ...(row.metadata === null ? {} : { metadataJson: JSON.stringify(row.metadata) }),
    segments: segments.map(toProtoSegment),
    createdAt: timestampFromDate(row.created_at),
    ...(row.completed_at === null ? {} : { completedAt: timestampFromDate(row.completed_at) }),
    ...(row.segment_count === null ? {} : { segmentCount: row.segment_count }),
  };
}

function toProtoSegment(row: SegmentRow): MessageInitShape<typeof SegmentSchema> {
  return {
    index: row.index,
    objectKey: row.object_key,
    fileName: row.file_name,
    startMs: BigInt(row.start_ms),
    durationMs: BigInt(row.duration_ms),
    sizeBytes: BigInt(row.size_bytes),
  };
}
