-- What a job holds of its account's minutes while a worker has it; null: nothing bounds it. Releases without the column
-- leave it in jobs that they end.
alter table jobs add column reserved_ms bigint;
-- What it will count as used, once a worker has told.
alter table jobs add column needed_ms bigint;
-- The size of its source, where the inspection at its creation told.
alter table jobs add column inspected_bytes bigint;
create index jobs_with_reservations on jobs (account_id) include (reserved_ms)
  where reserved_ms is not null and status = 'processing';

-- A claim has found too few minutes while other jobs of the account hold some: nothing is offered until they give back.
alter table account_queues add column awaits_minutes boolean not null default false;
create index account_queues_awaiting_minutes on account_queues (account_id) where awaits_minutes;

-- Completed jobs of which it is not known, or was not until settled_at, whether billing has counted them. Kept when the
-- job itself is deleted.
create table unsettled_usage (
  job_id text primary key,
  account_id text not null,
  metered_ms bigint not null,
  settled_at timestamptz
);
create index unsettled_usage_of_account on unsettled_usage (account_id);

-- As billing has told it last.
alter table account_limits add column spend_limit_reached boolean not null default false;
