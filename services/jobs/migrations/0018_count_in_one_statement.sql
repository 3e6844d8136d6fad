-- Counts what a change has changed, in one statement: a completed job is a row for its day and one for its hour, and no
-- longer taken out and put in again for each.
create or replace function count_job() returns trigger language plpgsql set search_path from current as $$
begin
  insert into job_counts as kept (account_id, span, start, created, completed, failed, completions)
  select account_id, span, date_trunc(span, at, 'UTC'), sum(created), sum(completed), sum(failed), sum(completions)
  from (values
    (old.account_id, old.created_at, -1, -(old.status = 'completed')::int, -(old.status = 'failed')::int, 0),
    (old.account_id, old.completed_at, 0, 0, 0, -1),
    (new.account_id, new.created_at, 1, (new.status = 'completed')::int, (new.status = 'failed')::int, 0),
    (new.account_id, new.completed_at, 0, 0, 0, 1)
  ) as changes (account_id, at, created, completed, failed, completions),
    unnest(array['day', 'hour']) span
  where at is not null
  group by 1, 2, 3
  having (sum(created), sum(completed), sum(failed), sum(completions)) <> (0, 0, 0, 0)
  order by 1, 2, 3
  on conflict (account_id, span, start) do update
  set created = kept.created + excluded.created, completed = kept.completed + excluded.completed,
      failed = kept.failed + excluded.failed, completions = kept.completions + excluded.completions;
  if tg_op = 'DELETE' then
    delete from job_counts
    where account_id = old.account_id
      and (span, start) in (
        select span, date_trunc(span, at, 'UTC')
        from unnest(array['day', 'hour']) span, unnest(array[old.created_at, old.completed_at]) at)
      and created = 0 and completed = 0 and failed = 0 and completions = 0;
  end if;
  return null;
end
$$;
