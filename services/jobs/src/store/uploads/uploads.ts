/**
 * Uploads that count against their account (decision 50). A row is inserted with the announced size or with
 * the first byte, and deleted when a job uses the upload or its link has expired. A gateway's report on an
 * upload in progress is valid for a lease.
 */
import { onlyRow, type Queryable } from '@audiosplit/chassis/postgres/pool';
import type { JobRef } from '../../job.ts';

/** The time of six reports of a gateway. */
const LEASE_SECONDS = 30;

const IS_RECEIVING = 'receiving_until > now()';
const UNUSED_BYTES = `coalesce(announced_bytes, stored_bytes + case when ${IS_RECEIVING} then incoming_bytes else 0 end)`;

export interface UploadUse {
  readonly receiving: number;
  readonly unusedBytes: number;
}

export type UploadState = 'receiving' | 'stored' | 'brokenOff';

export interface ReportedUpload {
  readonly id: string;
  readonly accountId: string;
  readonly state: UploadState;
  readonly receivedBytes: number;
  readonly announcedBytes: number | undefined;
  readonly expiresAt: Date;
}

export async function readUploadUse(db: Queryable, accountId: string): Promise<UploadUse> {
  return onlyRow(
    await db.query<UploadUse>(
      `select (count(*) filter (where ${IS_RECEIVING}))::float8 as receiving,
              coalesce(sum(${UNUSED_BYTES}) filter (where expires_at > now()), 0)::float8 as "unusedBytes"
       from uploads where account_id = $1`,
      [accountId],
    ),
  );
}

/** The largest values over all accounts. */
export async function readFullestUploadUse(db: Queryable): Promise<UploadUse> {
  return onlyRow(
    await db.query<UploadUse>(
      `select coalesce(max(receiving), 0)::float8 as receiving, coalesce(max(bytes), 0)::float8 as "unusedBytes"
       from (select count(*) filter (where ${IS_RECEIVING}) as receiving,
                    sum(${UNUSED_BYTES}) filter (where expires_at > now()) as bytes
             from uploads group by account_id) as accounts`,
    ),
  );
}

export async function insertUpload(
  db: Queryable,
  upload: Pick<ReportedUpload, 'id' | 'accountId' | 'expiresAt'> & { readonly announcedBytes: number },
): Promise<void> {
  await db.query(
    'insert into uploads (id, account_id, announced_bytes, expires_at) values ($1, $2, $3, $4)',
    [upload.id, upload.accountId, upload.announcedBytes, upload.expiresAt],
  );
}

/** Reports on a purged account are dropped. */
export async function recordUploads(db: Queryable, uploads: readonly ReportedUpload[]): Promise<void> {
  await db.query(
    `insert into uploads as known
       (id, account_id, announced_bytes, stored_bytes, incoming_bytes, receiving_until, expires_at)
     select id, account_id, announced, case state when 'stored' then received else 0 end,
            case state when 'receiving' then received else 0 end,
            case state when 'receiving' then now() + interval '${LEASE_SECONDS} seconds' end, expires_at
     from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::timestamptz[])
       as reported (id, account_id, state, received, announced, expires_at)
     where not exists (select from purged_accounts purged where purged.account_id = reported.account_id)
     order by id
     on conflict (id) do update
     set incoming_bytes = excluded.incoming_bytes, receiving_until = excluded.receiving_until,
         stored_bytes = case when excluded.stored_bytes > 0 then excluded.stored_bytes else known.stored_bytes end
     where known.account_id = excluded.account_id`,
    [
      uploads.map(({ id }) => id),
      uploads.map(({ accountId }) => accountId),
      uploads.map(({ state }) => state),
      uploads.map(({ receivedBytes }) => receivedBytes),
      uploads.map(({ announcedBytes }) => announcedBytes ?? null),
      uploads.map(({ expiresAt }) => expiresAt),
    ],
  );
}

export async function findExpiredUploads(db: Queryable, limit: number): Promise<JobRef[]> {
  const { rows } = await db.query<JobRef>(
    `select id, account_id as "accountId" from uploads
     where expires_at <= now() and coalesce(receiving_until <= now(), true) order by expires_at limit $1`,
    [limit],
  );
  return rows;
}

export async function forgetUpload(db: Queryable, id: string): Promise<void> {
  await db.query('delete from uploads where id = $1', [id]);
}
