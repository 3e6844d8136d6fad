/**
 * Search by words, newest first.
 *
 * A word may occur anywhere in a name, so no ordered index finds it, and a trigram index would slow down
 * every creation for a rare request (docs/decisions/0029). Instead the search is bounded: it reads the
 * account's jobs in index order, down to a border that is found by an index-only scan. The next page
 * continues below the border.
 */
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Job, JobStatus } from '../../job.ts';
import { fromRow, type JobRow, LISTED_JOB_COLUMNS } from '../job/job-row.ts';
import type { JobPosition } from '../queue/position.ts';

export interface JobScope {
  readonly accountId: string;
  readonly status: JobStatus | undefined;
  /** Only failed jobs: the canceled ones, or the others. */
  readonly canceled: boolean | undefined;
  /** Only jobs older than this. */
  readonly before: JobPosition | undefined;
}

export interface Border {
  readonly position: JobPosition;
  /** When the job at the border was created. */
  readonly createdAt: Date;
}

export interface FoundJob {
  readonly job: Job;
  readonly position: JobPosition;
}

/**
 * The searched text. It omits the query of the address, which may contain signatures. Every installation has
 * the collation.
 */
const TEXT = `lower((id || ' ' || coalesce(source_file_name, '') || ' ' || split_part(source_url, '?', 1)) collate "und-x-icu")`;

/** The last of the scope's `count` newest jobs; undefined if there are fewer. */
export async function findBorder(db: Queryable, scope: JobScope, count: number): Promise<Border | undefined> {
  const { where, values } = conditionsOf(scope);
  const { rows } = await db.query<{ id: string; created_at: Date; created_at_text: string }>(
    `select id, created_at, created_at::text as created_at_text from jobs where ${where}
     order by created_at desc, id desc offset $${values.length + 1} limit 1`,
    [...values, count - 1],
  );
  return rows[0] && { position: positionOf(rows[0]), createdAt: rows[0].created_at };
}

interface WordSearch {
  readonly words: readonly string[];
  /** The last job that is read; undefined: all of the scope. */
  readonly border: JobPosition | undefined;
  readonly limit: number;
}

/** Jobs whose text has all the words. In addresses words may be encoded, as in `%C3%BCber`. */
export async function findJobsWith(
  db: Queryable,
  scope: JobScope,
  { words, border, limit }: WordSearch,
): Promise<FoundJob[]> {
  const { where, values } = conditionsOf(scope, border);
  const plain = values.length + 1;
  const { rows } = await db.query<JobRow & { created_at_text: string }>(
    `select ${LISTED_JOB_COLUMNS}, created_at::text as created_at_text from jobs
     where ${where} and (${TEXT} like all($${plain}) or ${TEXT} like all($${plain + 1}))
     order by created_at desc, id desc limit $${plain + 2}`,
    [...values, words.map(patternOf), words.map((word) => patternOf(encodeURI(word.toWellFormed()))), limit],
  );
  return rows.map((row) => ({ job: fromRow(row), position: positionOf(row) }));
}

function conditionsOf({ accountId, status, canceled, before }: JobScope, border?: JobPosition) {
  const values: unknown[] = [];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const pair = ({ createdAt, id }: JobPosition) => `(${parameter(createdAt)}::timestamptz, ${parameter(id)})`;
  const conditions = [`account_id = ${parameter(accountId)}`];
  if (status !== undefined) conditions.push(`status = ${parameter(status)}`);
  if (canceled !== undefined)
    conditions.push(
      `status = 'failed' and (error_code is not distinct from 'CANCELED') = ${parameter(canceled)}`,
    );
  if (before !== undefined) conditions.push(`(created_at, id) < ${pair(before)}`);
  if (border !== undefined) conditions.push(`(created_at, id) >= ${pair(border)}`);
  return { where: conditions.join(' and '), values };
}

function positionOf(row: { readonly id: string; readonly created_at_text: string }): JobPosition {
  return { createdAt: row.created_at_text, id: row.id };
}

/** Anywhere in the text. The wildcards of LIKE are escaped. */
function patternOf(word: string): string {
  return `%${word.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;
}
