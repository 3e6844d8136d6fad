import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Lease } from '../../work-item.ts';

/**
 * The leases whose renewal would be rejected. The conditions are those of the renewals, without their writes.
 */
export async function findLeasesOver(db: Queryable, leases: readonly Lease[]): Promise<Lease[]> {
  const { rows } = await db.query<{ jobId: string; fence: number; part: number | null }>(
    `select held.job_id as "jobId", held.fence, held.part
     from unnest($1::text[], $2::bigint[], $3::integer[]) as held (job_id, fence, part)
     where not exists (
       select from jobs left join job_parts on job_parts.job_id = jobs.id and job_parts.index = held.part
       where id = held.job_id and status = 'processing' and deadline_at > now()
         and case when held.part is null then jobs.fence = held.fence and jobs.worker_id is not null
                  else job_parts.fence = held.fence and job_parts.worker_id is not null end
     )`,
    [
      leases.map(({ jobId }) => jobId),
      leases.map(({ fence }) => fence),
      leases.map(({ part }) => part ?? null),
    ],
  );
  return rows.map(({ part, ...lease }) => ({ ...lease, part: part ?? undefined }));
}
