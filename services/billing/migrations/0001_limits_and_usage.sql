-- Accounts of which there is more to say than that they are on the Free plan without overrides.
create table accounts (
  account_id text primary key,
  -- Grows with every change of the effective limits; readers of the events keep the highest.
  limits_revision bigint not null,
  requests_per_minute_override integer,
  concurrent_jobs_override integer,
  max_file_size_bytes_override bigint,
  monthly_minutes_override integer
);

-- One row per finished job, kept when the job itself is deleted.
create table job_usage (
  job_id text primary key,
  account_id text not null,
  status text not null check (status in ('completed', 'failed')),
  finished_at timestamptz not null,
  source_duration_ms bigint not null,
  -- Of its segments that are in the store now.
  stored_bytes bigint not null
);
create index job_usage_account_finished on job_usage (account_id, finished_at) include (status, source_duration_ms);
create index job_usage_stored on job_usage (account_id) include (stored_bytes) where stored_bytes > 0;
