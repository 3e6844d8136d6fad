-- Which of the failed jobs were canceled, from here on: of earlier ones it was not kept.
alter table job_usage add column canceled boolean not null default false;
-- Of jobs_failed. Null is written by a version that does not know the column, and summed below.
alter table usage_counts add column jobs_canceled bigint default 0;
alter table usage_counts alter column jobs_canceled drop default;

create or replace function count_usage() returns trigger language plpgsql set search_path from current as $$
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
      (account_id, from_at, until_at, source_duration_ms, jobs_completed, jobs_failed, jobs_canceled)
    values (
      job.account_id,
      coalesce((select max(from_at) from usage_counts
                where account_id = job.account_id and from_at between day and job.counted_at), day),
      -- Of a new stretch: there is none of that day.
      day + interval '24 hours',
      case job.status when 'completed' then step * job.source_duration_ms else 0 end,
      step * (job.status = 'completed')::int,
      step * (job.status = 'failed')::int,
      step * job.canceled::int
    )
    on conflict (account_id, from_at) do update
    set source_duration_ms = counted.source_duration_ms + excluded.source_duration_ms,
        jobs_completed = counted.jobs_completed + excluded.jobs_completed,
        jobs_failed = counted.jobs_failed + excluded.jobs_failed,
        jobs_canceled = counted.jobs_canceled + excluded.jobs_canceled;
  end loop;
  return null;
end
$$;

create or replace trigger count_changed_usage
  after update of account_id, status, counted_at, source_duration_ms, canceled on job_usage
  for each row execute function count_usage();

create or replace function uncount_usage() returns trigger language plpgsql set search_path from current as $$
begin
  update usage_counts counted
  set source_duration_ms = counted.source_duration_ms - gone.source_duration_ms,
      jobs_completed = counted.jobs_completed - gone.jobs_completed,
      jobs_failed = counted.jobs_failed - gone.jobs_failed,
      jobs_canceled = counted.jobs_canceled - gone.jobs_canceled
  from (
    select account_id, stretch.from_at,
      coalesce(sum(source_duration_ms) filter (where status = 'completed'), 0) as source_duration_ms,
      count(*) filter (where status = 'completed') as jobs_completed,
      count(*) filter (where status = 'failed') as jobs_failed,
      count(*) filter (where canceled) as jobs_canceled
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

-- A version that does not know the column inserts the later part of a stretch that it cuts without it, and ends the earlier
-- part without changing it.
create function sum_canceled() returns trigger language plpgsql set search_path from current as $$
begin
  new.jobs_canceled := (
    select count(*) from job_usage
    where account_id = new.account_id and canceled and counted_at >= new.from_at and counted_at < new.until_at);
  return new;
end
$$;
create trigger sum_canceled_of_new before insert on usage_counts
  for each row when (new.jobs_canceled is null) execute function sum_canceled();
create trigger sum_canceled_of_ended before update of until_at on usage_counts
  for each row when (new.until_at < old.until_at and new.jobs_canceled = old.jobs_canceled)
  execute function sum_canceled();
