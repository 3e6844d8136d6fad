-- What an account's jobs add up to in a stretch of time: a day of UTC, or the part of one that a beginning or an end of a
-- period cuts off. The stretches of a day are either all here or none is, without gap or overlap; a stretch in which jobs
-- are counted is here. Triggers keep the sums exact whatever writes to job_usage.
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
  day timestamptz := date_trunc('day', new.counted_at, 'UTC');
begin
  insert into usage_counts as counted
    (account_id, from_at, until_at, source_duration_ms, jobs_completed, jobs_failed)
  values (
    new.account_id,
    coalesce((select max(from_at) from usage_counts
              where account_id = new.account_id and from_at between day and new.counted_at), day),
    -- Of a new stretch: there is none of that day.
    day + interval '24 hours',
    case new.status when 'completed' then new.source_duration_ms else 0 end,
    (new.status = 'completed')::int,
    (new.status = 'failed')::int
  )
  on conflict (account_id, from_at) do update
  set source_duration_ms = counted.source_duration_ms + excluded.source_duration_ms,
      jobs_completed = counted.jobs_completed + excluded.jobs_completed,
      jobs_failed = counted.jobs_failed + excluded.jobs_failed;
  return null;
end
$$;

create function uncount_usage() returns trigger language plpgsql set search_path from current as $$
begin
  update usage_counts counted
  set source_duration_ms = counted.source_duration_ms - gone.source_duration_ms,
      jobs_completed = counted.jobs_completed - gone.jobs_completed,
      jobs_failed = counted.jobs_failed - gone.jobs_failed
  from (
    select account_id, from_at,
      coalesce(sum(deleted.source_duration_ms) filter (where status = 'completed'), 0) as source_duration_ms,
      count(*) filter (where status = 'completed') as jobs_completed,
      count(*) filter (where status = 'failed') as jobs_failed
    from deleted join usage_counts using (account_id)
    where counted_at >= from_at and counted_at < until_at
    group by account_id, from_at
  ) gone
  where counted.account_id = gone.account_id and counted.from_at = gone.from_at;
  return null;
end
$$;

-- From here on until the migration is through no job is counted.
create trigger count_usage after insert on job_usage for each row execute function count_usage();
create trigger uncount_usage after delete on job_usage referencing old table as deleted
  for each statement execute function uncount_usage();

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
