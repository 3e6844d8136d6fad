-- Accounts are named by id only, without a foreign key: with an external identity provider they have no row here.
create table api_keys (
  id text primary key,
  account_id text not null,
  name text not null,
  preview text not null,
  scopes text[] not null,
  created_at timestamptz not null,
  updated_at timestamptz,
  expires_at timestamptz,
  last_used_at timestamptz
);
create index api_keys_account on api_keys (account_id, created_at desc, id desc);

-- The current secret of a key has no end of its own; those that a rotation replaced work until their grace ends.
create table api_key_secrets (
  sha256 bytea primary key,
  key_id text not null references api_keys on delete cascade,
  grace_ends_at timestamptz
);
create index api_key_secrets_key on api_key_secrets (key_id);
create index api_key_secrets_grace_ends_at on api_key_secrets (grace_ends_at);
