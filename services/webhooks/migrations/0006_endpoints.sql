-- Where an account's notifications go beside the targets of its jobs and exports.
create table endpoints (
  account_id text primary key,
  url text not null,
  -- Types of notifications; null: all.
  events text[],
  created_at timestamptz not null,
  updated_at timestamptz not null
);
