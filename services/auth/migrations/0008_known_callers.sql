-- Networks and devices from which an account has signed in, as digests.
create table known_callers (
  account_id text not null references accounts on delete cascade,
  caller bytea not null,
  last_seen_at timestamptz not null,
  primary key (account_id, caller)
);
create index known_callers_last_seen_at on known_callers (last_seen_at);

-- Links in mail that sign in once.
create table sign_in_links (
  sha256 bytea primary key,
  account_id text not null references accounts on delete cascade,
  expires_at timestamptz not null
);
create index sign_in_links_account on sign_in_links (account_id);
create index sign_in_links_expires_at on sign_in_links (expires_at);
