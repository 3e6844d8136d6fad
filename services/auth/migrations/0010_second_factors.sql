-- One for each account that has begun it. A code counts once: `last_step` is the time step of the latest one (RFC 6238, 5.2).
create table second_factors (
  account_id text primary key references accounts on delete cascade,
  sealed_secret bytea not null,
  -- Null: begun, and not confirmed by a code yet.
  enabled_at timestamptz,
  last_step bigint not null default 0
);

-- Each works once, in place of a code.
create table recovery_codes (
  account_id text not null references second_factors on delete cascade,
  sha256 bytea not null,
  primary key (account_id, sha256)
);
