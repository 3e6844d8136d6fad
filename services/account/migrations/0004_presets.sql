-- Settings of splits under a name. What is in a request is for the gateway to know.
create table presets (
  id text primary key,
  account_id text not null,
  name text not null,
  request json not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (account_id, name)
);
