/** Uploads in parts (decision 64). Bytes count as arrived once their part or tail is stored. */
import type { Queryable } from '@audiosplit/chassis/postgres/pool';

export interface UploadRef {
  readonly id: string;
  readonly accountId: string;
}

export interface UploadPart {
  readonly number: number;
  readonly sizeBytes: number;
  readonly tag: string;
}

export interface UploadTail {
  readonly id: string;
  readonly sizeBytes: number;
}

export interface ResumableUpload {
  readonly sizeBytes: number;
  readonly arrivedBytes: number;
  readonly multipartId: string;
  readonly metadata: string;
  readonly parts: readonly UploadPart[];
  readonly tail: UploadTail | undefined;
  readonly isStored: boolean;
}

export interface ArrivedBytes {
  readonly afterBytes: number;
  readonly addedBytes: number;
  readonly kept: { readonly part: UploadPart } | { readonly tail: UploadTail };
}

/** Does nothing if the upload has begun. False if it is not reserved. */
export async function beginResumableUpload(
  db: Queryable,
  { id, accountId }: UploadRef,
  { multipartId, metadata }: Pick<ResumableUpload, 'multipartId' | 'metadata'>,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update uploads set multipart_id = coalesce(multipart_id, $3),
                        metadata = case when multipart_id is null then $4 else metadata end
     where id = $1 and account_id = $2 and announced_bytes is not null`,
    [id, accountId, multipartId, metadata],
  );
  return rowCount === 1;
}

export async function findResumableUpload(
  db: Queryable,
  { id, accountId }: UploadRef,
): Promise<ResumableUpload | undefined> {
  const { rows } = await db.query<
    Omit<ResumableUpload, 'tail'> & { readonly tailId: string | null; readonly tailBytes: number }
  >(
    `select announced_bytes::float8 as "sizeBytes", arrived_bytes::float8 as "arrivedBytes",
            multipart_id as "multipartId", metadata, parts, tail_id as "tailId", tail_bytes as "tailBytes",
            stored_bytes > 0 as "isStored"
     from uploads where id = $1 and account_id = $2 and multipart_id is not null and expires_at > now()`,
    [id, accountId],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const { tailId, tailBytes, ...upload } = row;
  return { ...upload, tail: tailId === null ? undefined : { id: tailId, sizeBytes: tailBytes } };
}

/** Undefined if there is no such upload. */
export async function takePartNumber(
  db: Queryable,
  { id, accountId }: UploadRef,
): Promise<number | undefined> {
  const { rows } = await db.query<{ number: number }>(
    `update uploads set next_part = next_part + 1
     where id = $1 and account_id = $2 and multipart_id is not null returning next_part - 1 as number`,
    [id, accountId],
  );
  return rows[0]?.number;
}

/** Undefined if other bytes have arrived since, or if there is no such upload. */
export async function addArrivedBytes(
  db: Queryable,
  { id, accountId }: UploadRef,
  { afterBytes, addedBytes, kept }: ArrivedBytes,
): Promise<{ readonly formerTailId: string | undefined } | undefined> {
  const part = 'part' in kept ? JSON.stringify([kept.part]) : '[]';
  const tail = 'tail' in kept ? kept.tail : undefined;
  const { rows } = await db.query<{ formerTailId: string | null }>(
    `with former as (
       select tail_id from uploads
       where id = $1 and account_id = $2 and multipart_id is not null and expires_at > now()
         and arrived_bytes = $3 and $3 + $4 <= announced_bytes
       for update
     )
     update uploads set arrived_bytes = arrived_bytes + $4, parts = parts || $5::jsonb, tail_id = $6, tail_bytes = $7
     from former where id = $1 returning former.tail_id as "formerTailId"`,
    [id, accountId, afterBytes, addedBytes, part, tail?.id ?? null, tail?.sizeBytes ?? 0],
  );
  const [row] = rows;
  return row && { formerTailId: row.formerTailId ?? undefined };
}

/** Deletes an incomplete upload. False if there is none. */
export async function deleteResumableUpload(db: Queryable, { id, accountId }: UploadRef): Promise<boolean> {
  const { rowCount } = await db.query(
    `delete from uploads
     where id = $1 and account_id = $2 and multipart_id is not null and arrived_bytes < announced_bytes`,
    [id, accountId],
  );
  return rowCount === 1;
}
