import type { Queryable } from '@audiosplit/chassis/postgres/pool';

export interface LeaseRef {
  readonly jobId: string;
  readonly fence: number;
  /** The lease is that of this part of the job. */
  readonly part?: number | undefined;
}

/** Those of the leases that a renewal would be refused: as those of jobs and parts judge, without their writes. */
export async function findLeasesOver(db: Queryable, leases: readonly LeaseRef[]): Promise<LeaseRef[]> {
  const { rows } = await db.query<{ jobId: string; fence: number; part: number | null }>(
    `select asked.job_id as "jobId", asked.fence, asked.part
     from unnest($1::text[], $2::bigint[], $3::integer[]) as asked (job_id, fence, part)
     where not exists (
       select from jobs left join job_parts on job_parts.job_id = jobs.id and job_parts.index = asked.part
       where id = asked.job_id and status = 'processing' and deadline_at > now()
         and case when asked.part is null then jobs.fence = asked.fence and jobs.worker_id is not null
                  else job_parts.fence = asked.fence and job_parts.worker_id is not null end
     )`,
    [
      leases.map(({ jobId }) => jobId),
      leases.map(({ fence }) => fence),
      leases.map(({ part }) => part ?? null),
    ],
  );
  return rows.map(({ part, ...lease }) => (part === null ? lease : { ...lease, part }));
}
