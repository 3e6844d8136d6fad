import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Export, ExportFormat, ExportStatus } from '../export/export.ts';

interface ExportRow {
  readonly id: string;
  readonly account_id: string;
  readonly status: ExportStatus;
  readonly format: ExportFormat;
  readonly webhook_url: string | null;
  readonly created_at: Date;
  readonly estimated_completion_at: Date;
  readonly attempts: number;
  readonly fence: number;
  readonly object_key: string | null;
  readonly size_bytes: number | null;
  readonly sha256: string | null;
  readonly expires_at: Date | null;
}

const COLUMNS = `id, account_id, status, format, webhook_url, created_at, estimated_completion_at, attempts, fence,
  object_key, size_bytes, sha256, expires_at`;

function fromRow(row: ExportRow): Export {
  const { object_key: objectKey, size_bytes: sizeBytes, sha256 } = row;
  const hasFile = objectKey !== null && sizeBytes !== null && sha256 !== null;
  return {
    id: row.id,
    accountId: row.account_id,
    status: row.status,
    format: row.format,
    webhookUrl: row.webhook_url ?? undefined,
    createdAt: row.created_at,
    estimatedCompletionAt: row.estimated_completion_at,
    attempts: row.attempts,
    fence: row.fence,
    file: hasFile ? { objectKey, sizeBytes, sha256 } : undefined,
    expiresAt: row.expires_at ?? undefined,
  };
}

/** Due at once. */
export async function insertExport(db: Queryable, begun: Export): Promise<void> {
  await db.query(
    `insert into exports (id, account_id, status, format, webhook_url, created_at, estimated_completion_at,
       next_attempt_at)
     values ($1, $2, $3, $4, $5, $6, $7, $6)`,
    [
      begun.id,
      begun.accountId,
      begun.status,
      begun.format,
      begun.webhookUrl,
      begun.createdAt,
      begun.estimatedCompletionAt,
    ],
  );
}

export async function findExport(db: Queryable, accountId: string, id: string): Promise<Export | undefined> {
  const { rows } = await db.query<ExportRow>(
    `select ${COLUMNS} from exports where id = $1 and account_id = $2`,
    [id, accountId],
  );
  return rows[0] && fromRow(rows[0]);
}

/** The latest that has not failed. */
export async function findLatestExport(db: Queryable, accountId: string): Promise<Export | undefined> {
  const { rows } = await db.query<ExportRow>(
    `select ${COLUMNS} from exports where account_id = $1 and status <> 'failed'
     order by created_at desc, id desc limit 1`,
    [accountId],
  );
  return rows[0] && fromRow(rows[0]);
}

interface ExportPage {
  readonly exports: readonly Export[];
  readonly total: number;
}

/** Newest first; `page` counts from 1. */
export async function listExports(
  db: Queryable,
  accountId: string,
  page: number,
  limit: number,
): Promise<ExportPage> {
  const { rows } = await db.query<ExportRow>(
    `select ${COLUMNS} from exports where account_id = $1 order by created_at desc, id desc limit $2 offset $3`,
    [accountId, limit, (page - 1) * limit],
  );
  const counted = await db.query<{ total: number }>(
    'select count(*) as total from exports where account_id = $1',
    [accountId],
  );
  return { exports: rows.map(fromRow), total: counted.rows[0]?.total ?? 0 };
}

/** Claims the export that has been due for longest, until `until`. */
export async function claimDueExport(db: Queryable, now: Date, until: Date): Promise<Export | undefined> {
  const { rows } = await db.query<ExportRow>(
    `update exports set attempts = attempts + 1, fence = fence + 1, next_attempt_at = $2
     where id = (
       select id from exports where status = 'processing' and next_attempt_at <= $1
       order by next_attempt_at limit 1 for update skip locked)
     returning ${COLUMNS}`,
    [now, until],
  );
  return rows[0] && fromRow(rows[0]);
}

type Claimed = Pick<Export, 'id' | 'fence'>;

/** Sets the time of the next attempt, or extends the claim of this one. False if the claim is lost. */
export async function planAttempt(
  db: Queryable,
  { id, fence }: Claimed,
  at: Date,
  options: { readonly countThisOne: boolean } = { countThisOne: true },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update exports set next_attempt_at = $3, attempts = attempts - $4
     where id = $1 and fence = $2 and status = 'processing'`,
    [id, fence, at, options.countThisOne ? 0 : 1],
  );
  return rowCount === 1;
}

/** False if the claim is lost. */
export async function endExport(db: Queryable, ended: Export): Promise<boolean> {
  const { rowCount } = await db.query(
    `update exports
     set status = $3, next_attempt_at = null, object_key = $4, size_bytes = $5, sha256 = $6, expires_at = $7
     where id = $1 and fence = $2 and status = 'processing'`,
    [
      ended.id,
      ended.fence,
      ended.status,
      ended.file?.objectKey,
      ended.file?.sizeBytes,
      ended.file?.sha256,
      ended.expiresAt,
    ],
  );
  return rowCount === 1;
}

export async function listOverdueExports(db: Queryable, now: Date, limit: number): Promise<Export[]> {
  const { rows } = await db.query<ExportRow>(
    `select ${COLUMNS} from exports where status = 'completed' and expires_at <= $1 order by expires_at limit $2`,
    [now, limit],
  );
  return rows.map(fromRow);
}

export async function expireExport(db: Queryable, id: string): Promise<void> {
  await db.query(
    "update exports set status = 'expired', object_key = null where id = $1 and status = 'completed'",
    [id],
  );
}

export async function deleteExportsOf(db: Queryable, accountId: string): Promise<void> {
  await db.query('delete from exports where account_id = $1', [accountId]);
}
