-- Buckets that accounts have named. The secret is encrypted; `sealed_under` names the key, so that a new key finds what is
-- left of a former one.
create table connections (
  id text primary key,
  account_id text not null,
  name text not null,
  endpoint text,
  region text not null,
  bucket text not null,
  prefix text not null,
  access_key_id text not null,
  sealed_secret bytea not null,
  sealed_under text not null,
  created_at timestamptz not null,
  unique (account_id, name)
);
