create table accounts (
  id text primary key,
  -- As its holder writes it; where it is compared, `address_key` is.
  email text not null,
  address_key text not null constraint accounts_address_key unique,
  name text not null,
  password_hash text not null,
  created_at timestamptz not null
);

-- One sign-in and the chain of refresh tokens that follows from it.
create table sessions (
  id text primary key,
  account_id text not null references accounts on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index sessions_account on sessions (account_id);
create index sessions_expires_at on sessions (expires_at);

-- Spent tokens stay as long as their session: presenting one again is how a theft shows.
create table refresh_tokens (
  sha256 bytea primary key,
  session_id text not null references sessions on delete cascade,
  issued_at timestamptz not null,
  spent_at timestamptz
);
create index refresh_tokens_session on refresh_tokens (session_id);

-- Wrong passwords of late, by address or by client network; `failed_at` is in order and bounded by the limit.
create table sign_in_failures (
  subject text primary key,
  failed_at timestamptz[] not null,
  last_failed_at timestamptz not null
);
create index sign_in_failures_last_failed_at on sign_in_failures (last_failed_at);

create table signing_keys (
  kid text primary key,
  public_jwk jsonb not null,
  sealed_private_key bytea not null,
  activates_at timestamptz not null
);
