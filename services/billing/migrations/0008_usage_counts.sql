-- What an account's jobs add up to in a stretch of time: a day of UTC, or the part of one that a beginning or an end of a
-- period cuts off. The stretches of a day are either all here or none is, without gap or overlap; a stretch in which jobs
-- are counted is here. Triggers keep the sums exact whatever statement writes to job_usage.
create table usage_counts (
  account_id text not null,
  from_at timestamptz not null,
  until_at timestamptz not null check (until_at > from_at),
  -- Of completed jobs.
  source_duration_ms bigint not null,
  jobs_completed bigint not null,
  jobs_failed bigint not null,
  primary key (account_id, from_at)
) with (fillfactor = 50);

create function count_usage() returns trigger language plpgsql set search_path from current as $$
declare
  job job_usage;
  day timestamptz;
  step int;
begin
  foreach step in array array[-1, 1] loop
    continue when step = -1 and tg_op = 'INSERT';
    job := case step when 1 then new else old end;
    day := date_trunc('day', job.counted_at, 'UTC');
    insert into usage_counts as counted
      (account_id, from_at, until_at, source_duration_ms, jobs_completed, jobs_failed)
    values (
      job.account_id,
      coalesce((select max(from_at) from usage_counts
                where account_id = job.account_id and from_at between day and job.counted_at), day),
      -- Of a new stretch: there is none of that day.
      day + interval '24 hours',
      case job.status when 'completed' then step * job.source_duration_ms else 0 end,
      step * (job.status = 'completed')::int,
      step * (job.status = 'failed')::int
    )
    on conflict (account_id, from_at) do update
    set source_duration_ms = counted.source_duration_ms + excluded.source_duration_ms,
        jobs_completed = counted.jobs_completed + excluded.jobs_completed,
        jobs_failed = counted.jobs_failed + excluded.jobs_failed;
  end loop;
  return null;
end
$$;

-- One statement may delete all jobs of an account: the stretch of each is found by the key, and each is updated once.
create function uncount_usage() returns trigger language plpgsql set search_path from current as $$
begin
  update usage_counts counted
  set source_duration_ms = counted.source_duration_ms - gone.source_duration_ms,
      jobs_completed = counted.jobs_completed - gone.jobs_completed,
      jobs_failed = counted.jobs_failed - gone.jobs_failed
  from (
    select account_id, stretch.from_at,
      coalesce(sum(source_duration_ms) filter (where status = 'completed'), 0) as source_duration_ms,
      count(*) filter (where status = 'completed') as jobs_completed,
      count(*) filter (where status = 'failed') as jobs_failed
    from deleted cross join lateral (
      select from_at from usage_counts
      where account_id = deleted.account_id
        and from_at between date_trunc('day', deleted.counted_at, 'UTC') and deleted.counted_at
      order by from_at desc limit 1
    ) stretch
    group by account_id, stretch.from_at
  ) gone
  where counted.account_id = gone.account_id and counted.from_at = gone.from_at;
  return null;
end
$$;

create function uncount_all_usage() returns trigger language plpgsql set search_path from current as $$
begin
  delete from usage_counts;
  return null;
end
$$;

-- From here on until the migration is through no job is counted.
create trigger count_new_usage after insert on job_usage for each row execute function count_usage();
create trigger count_changed_usage after update of account_id, status, counted_at, source_duration_ms on job_usage
  for each row execute function count_usage();
create trigger uncount_usage after delete on job_usage referencing old table as deleted
  for each statement execute function uncount_usage();
create trigger uncount_all_usage after truncate on job_usage for each statement execute function uncount_all_usage();

with cuts as (
  select account_id, current_period_start as at from subscriptions where ended_at is null
  union select account_id, current_period_end from subscriptions where ended_at is null
  union select account_id, usage_closed_until from accounts where usage_closed_until is not null
), edges as (
  select account_id, date_trunc('day', counted_at, 'UTC') as at from job_usage
  union select account_id, date_trunc('day', at, 'UTC') from cuts
  union select account_id, at from cuts
)
insert into usage_counts (account_id, from_at, until_at, source_duration_ms, jobs_completed, jobs_failed)
select account_id, at,
  least(lead(at) over (partition by account_id order by at), date_trunc('day', at, 'UTC') + interval '24 hours'), 0, 0, 0
from edges;

update usage_counts counted
set source_duration_ms = summed.source_duration_ms, jobs_completed = summed.jobs_completed,
    jobs_failed = summed.jobs_failed
from usage_counts stretch cross join lateral (
  select coalesce(sum(source_duration_ms) filter (where status = 'completed'), 0) as source_duration_ms,
    count(*) filter (where status = 'completed') as jobs_completed,
    count(*) filter (where status = 'failed') as jobs_failed
  from job_usage
  where job_usage.account_id = stretch.account_id and counted_at >= stretch.from_at and counted_at < stretch.until_at
) summed
where counted.account_id = stretch.account_id and counted.from_at = stretch.from_at;
