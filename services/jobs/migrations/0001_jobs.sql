create table jobs (
  id text primary key,
  account_id text not null,
  status text not null check (status in ('queued', 'processing', 'completed', 'failed')),

  -- What was asked for.
  source_url text not null,
  split_mode text not null check (split_mode in ('duration', 'fileSize')),
  segment_duration_seconds integer,
  max_file_size_bytes bigint,
  output_format text check (output_format in ('mp3', 'wav', 'flac', 'ogg', 'aac')),
  webhook_url text,
  -- json, not jsonb: it is given back as it came.
  metadata json,

  -- The lease protocol. A job in processing without lease_until waits to be claimed again; with a
  -- lease_until but no worker it waits out a pause before its next attempt.
  dispatched_at timestamptz,
  fence bigint not null default 0,
  attempts integer not null default 0,
  lease_until timestamptz,
  worker_id text,
  deadline_at timestamptz,
  progress_percent integer not null default 0 check (progress_percent between 0 and 100),

  -- What came of it.
  source_file_name text,
  source_duration_ms bigint,
  source_size_bytes bigint,
  segment_count integer,
  stored_bytes bigint,
  error_code text,
  error_message text,

  created_at timestamptz not null default now(),
  completed_at timestamptz,
  segments_expired_at timestamptz,

  check ((split_mode = 'duration') = (segment_duration_seconds is not null)),
  check ((split_mode = 'fileSize') = (max_file_size_bytes is not null)),
  check ((status = 'completed') = (completed_at is not null)),
  check ((status = 'failed') = (error_code is not null)),
  check (status = 'processing' or lease_until is null)
);

create index jobs_by_creation on jobs (account_id, created_at desc, id desc);
create index jobs_by_status_and_creation on jobs (account_id, status, created_at desc, id desc);
create index jobs_by_completion on jobs (account_id, completed_at desc nulls last, id desc);
create index jobs_waiting on jobs (account_id, created_at, id) where status = 'queued' and dispatched_at is null;
create index jobs_dispatched on jobs (dispatched_at) where status in ('queued', 'processing') and lease_until is null;
create index jobs_leased on jobs (lease_until) where lease_until is not null;
create index jobs_with_segments on jobs (completed_at) where status = 'completed' and segments_expired_at is null;

create table segments (
  job_id text not null references jobs on delete cascade,
  index integer not null,
  object_key text not null,
  file_name text not null,
  content_type text not null,
  start_ms bigint not null,
  duration_ms bigint not null,
  size_bytes bigint not null,
  primary key (job_id, index)
);

-- One row per account: its lock serialises every change to the account's jobs, its counters are exact
-- because they change in the transaction of the job.
create table account_queues (
  account_id text primary key,
  queued integer not null default 0 check (queued >= 0),
  -- Of the queued ones: how many have a split request on the bus.
  dispatched integer not null default 0 check (dispatched between 0 and queued),
  processing integer not null default 0 check (processing >= 0),
  completed bigint not null default 0 check (completed >= 0),
  failed bigint not null default 0 check (failed >= 0)
);

-- What billing says of an account; the highest revision wins.
create table account_limits (
  account_id text primary key,
  revision bigint not null,
  concurrent_jobs integer not null,
  max_file_size_bytes bigint not null,
  overage_allowed boolean not null
);

-- Prefixes in the object store that no job refers to any more.
create table doomed_prefixes (
  prefix text primary key,
  delete_after timestamptz not null
);
create index doomed_prefixes_due on doomed_prefixes (delete_after);
