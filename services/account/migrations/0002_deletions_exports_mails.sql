-- Accounts within the grace of their deletion.
create table deletions (
  account_id text primary key,
  requested_at timestamptz not null,
  purge_at timestamptz not null,
  -- What the holder was told: all is gone by then.
  complete_by timestamptz not null
);
create index deletions_purge_at on deletions (purge_at);

-- Purged accounts, for as long as something of theirs may still arrive: nothing but the id.
create table purges (
  account_id text primary key,
  purged_at timestamptz not null,
  -- How often the others have been told.
  announcements integer not null,
  next_announcement_at timestamptz
);
create index purges_next_announcement_at on purges (next_announcement_at);
create index purges_purged_at on purges (purged_at);

create table exports (
  id text primary key,
  account_id text not null,
  status text not null check (status in ('processing', 'completed', 'failed', 'expired')),
  format text not null check (format in ('json', 'csv')),
  webhook_url text,
  created_at timestamptz not null,
  estimated_completion_at timestamptz not null,

  attempts integer not null default 0,
  -- Of a processing one: when it is due, which while it is worked on is when it counts as abandoned.
  next_attempt_at timestamptz,
  -- Grows with every attempt: whoever holds an older one has nothing to say any more.
  fence integer not null default 0,

  object_key text,
  size_bytes bigint,
  sha256 text,
  expires_at timestamptz,

  check ((status = 'processing') = (next_attempt_at is not null)),
  check (status not in ('completed', 'expired') or expires_at is not null),
  check (status <> 'completed' or (object_key is not null and size_bytes is not null and sha256 is not null))
);
create index exports_of_account on exports (account_id, created_at desc, id desc);
create index exports_due on exports (next_attempt_at) where status = 'processing';
create index exports_expiring on exports (expires_at) where status = 'completed';
create unique index exports_one_processing on exports (account_id) where status = 'processing';

-- Mail that has not been handed over yet.
create table mails (
  id text primary key,
  account_id text not null,
  recipient text not null,
  subject text not null,
  body text not null,
  written_at timestamptz not null,
  attempts integer not null default 0,
  next_attempt_at timestamptz not null
);
create index mails_of_account on mails (account_id);
create index mails_due on mails (next_attempt_at);
