-- One row per secret that signs or has signed; the current one has no expiry.
create table signing_secrets (
  number bigint generated always as identity primary key,
  account_id text not null,
  -- Encrypted, see secret-cipher.ts.
  sealed bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz
);

create unique index signing_secrets_current on signing_secrets (account_id) where expires_at is null;
create index signing_secrets_by_account on signing_secrets (account_id, number desc);
create index signing_secrets_expiring on signing_secrets (expires_at) where expires_at is not null;

create table deliveries (
  -- Order of creation: what is newest first in lists.
  number bigint generated always as identity primary key,
  -- Also the webhook-id of every attempt.
  id text not null unique,
  account_id text not null,
  -- What the event is about, e.g. a job: deliveries of one subject are never under way at the same time.
  subject text not null,
  type text not null,
  url text not null,
  -- text, not json: the signature covers its bytes.
  body text not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  -- Attempts made since the creation or the last replay.
  tries integer not null default 0,
  next_attempt_at timestamptz,
  -- Grows with every claim and replay: whoever holds an older one no longer decides on the state.
  fence bigint not null default 0,
  -- Set while an attempt is under way; past it, the attempt counts as lost.
  attempt_until timestamptz,
  created_at timestamptz not null,

  check ((status = 'pending') = (next_attempt_at is not null)),
  check (status = 'pending' or attempt_until is null)
);

create index deliveries_by_creation on deliveries (account_id, number desc);
create index deliveries_due_by_account on deliveries (account_id, next_attempt_at, number) where status = 'pending';
create index deliveries_due on deliveries (next_attempt_at) where status = 'pending';
create index deliveries_under_way on deliveries (account_id) where attempt_until is not null;
create index deliveries_settled on deliveries (created_at) where status <> 'pending';

create table attempts (
  number bigint generated always as identity primary key,
  delivery_id text not null references deliveries (id) on delete cascade,
  at timestamptz not null,
  -- Absent without an answer.
  status_code integer,
  -- Absent when it went well.
  error text
);

create index attempts_by_delivery on attempts (delivery_id, number);
