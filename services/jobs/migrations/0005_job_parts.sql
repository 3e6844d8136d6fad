-- A job that several splitters work on at once. From its division on it has no lease of its own: its parts have.
alter table jobs add column is_divided boolean not null default false;
-- It was divided once, and could not be done so.
alter table jobs add column stays_whole boolean not null default false;

-- What completes such a job besides its segments. There for as long as the job is processing.
create table job_divisions (
  job_id text primary key references jobs on delete cascade,
  output_format text not null check (output_format in ('mp3', 'wav', 'flac', 'ogg', 'aac')),
  source_file_name text not null,
  source_duration_ms bigint not null,
  source_size_bytes bigint not null,
  segment_count integer not null,
  -- How far the job was when it was divided; its parts add up to the rest.
  base_percent integer not null check (base_percent between 0 and 100)
);

-- The lease protocol of jobs, once more: without lease_until a part waits (without dispatched_at) or is on offer;
-- with a lease_until but no worker it waits out a pause. A part with segments is done.
create table job_parts (
  job_id text not null references job_divisions on delete cascade,
  index integer not null,
  account_id text not null,
  first_segment integer not null,
  segment_count integer not null check (segment_count > 0),
  spec_json text not null,
  dispatched_at timestamptz,
  fence bigint not null default 0,
  attempts integer not null default 0,
  lease_until timestamptz,
  worker_id text,
  progress_percent integer not null default 0 check (progress_percent between 0 and 100),
  segments json,
  primary key (job_id, index),
  check (segments is null or (lease_until is null and worker_id is null))
);

create index job_parts_unleased on job_parts (account_id, job_id, index) where lease_until is null and segments is null;
create index job_parts_dispatched on job_parts (dispatched_at) where lease_until is null and segments is null;
create index job_parts_leased on job_parts (lease_until) where lease_until is not null;
