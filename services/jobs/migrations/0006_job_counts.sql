-- How many of an account's jobs belong to each day and to each hour (in UTC). A page far down a list is found by adding
-- these up, and not by passing over all the jobs before it. The triggers keep them exact whatever statement but TRUNCATE
-- writes to jobs.
create table job_counts (
  account_id text not null,
  span text not null check (span in ('day', 'hour')),
  start timestamptz not null,
  -- Of the jobs created in this span: all, those that have completed by now, and those that have failed.
  created integer not null,
  completed integer not null,
  failed integer not null,
  -- Jobs that completed in this span, whenever they were created.
  completions integer not null,
  primary key (account_id, span, start)
) with (fillfactor = 50);

-- False for accounts that may have jobs from before the triggers: those are counted apart and added (count-jobs.ts). Until
-- then what is counted here is only what has changed since, below zero where jobs have gone, and is not used.
alter table account_queues add column jobs_counted boolean not null default false;
alter table account_queues alter column jobs_counted set default true;
create index account_queues_not_counted on account_queues (account_id) where not jobs_counted;

create function count_job() returns trigger language plpgsql set search_path from current as $$
declare
  job jobs;
  step int;
  of_span text;
begin
  foreach step in array array[-1, 1] loop
    continue when tg_op = case step when 1 then 'DELETE' else 'INSERT' end;
    job := case step when 1 then new else old end;
    foreach of_span in array array['day', 'hour'] loop
      insert into job_counts as kept (account_id, span, start, created, completed, failed, completions)
      select job.account_id, of_span, start, sum(created), sum(completed), sum(failed), sum(completions)
      from (values
        (date_trunc(of_span, job.created_at, 'UTC'), step, step * (job.status = 'completed')::int,
         step * (job.status = 'failed')::int, 0),
        (date_trunc(of_span, job.completed_at, 'UTC'), 0, 0, 0, step)
      ) as changes (start, created, completed, failed, completions)
      where start is not null group by start order by start
      on conflict (account_id, span, start) do update
      set created = kept.created + excluded.created, completed = kept.completed + excluded.completed,
          failed = kept.failed + excluded.failed, completions = kept.completions + excluded.completions;
      if tg_op = 'DELETE' then
        delete from job_counts
        where account_id = job.account_id and span = of_span
          and start in (date_trunc(of_span, job.created_at, 'UTC'), date_trunc(of_span, job.completed_at, 'UTC'))
          and created = 0 and completed = 0 and failed = 0 and completions = 0;
      end if;
    end loop;
  end loop;
  return null;
end
$$;

create trigger count_new_or_deleted_job after insert or delete on jobs for each row execute function count_job();
-- Not on claims and renewals: they change nothing that is counted here.
create trigger count_changed_job after update on jobs for each row
  when ((old.account_id, old.created_at, old.completed_at, old.status = 'completed', old.status = 'failed')
    is distinct from (new.account_id, new.created_at, new.completed_at, new.status = 'completed', new.status = 'failed'))
  execute function count_job();
