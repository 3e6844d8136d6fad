-- Where else than with us the segments of a job go: {connectionId, connection, prefix, keepCopy}.
alter table jobs add column destination jsonb;
alter table segments add column location text;

-- Folders of jobs that have failed. They are emptied at once, and once more when no worker can still be writing there.
create table emptied_folders (
  job_id text primary key,
  account_id text not null,
  connection_id text not null,
  folder text not null,
  due_at timestamptz not null,
  last_at timestamptz not null
);
create index emptied_folders_due on emptied_folders (due_at);
