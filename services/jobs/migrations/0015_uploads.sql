-- Uploads that count against their account: announced, in progress, or stored and not used by a job yet.
create table uploads (
  id text primary key,
  account_id text not null,
  announced_bytes bigint,
  stored_bytes bigint not null default 0,
  incoming_bytes bigint not null default 0,
  -- While a gateway receives it, which renews this.
  receiving_until timestamptz,
  -- When its link ends.
  expires_at timestamptz not null
);
create index uploads_of_account on uploads (account_id);
create index uploads_by_expiry on uploads (expires_at);
