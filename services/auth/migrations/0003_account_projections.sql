-- What billing says about accounts. The highest revision wins, in whatever order the answers arrive.
create table account_limits (
  account_id text primary key,
  plan_id text not null,
  requests_per_minute integer not null,
  concurrent_jobs integer not null,
  max_file_size_bytes bigint not null,
  monthly_minutes integer not null,
  overage_allowed boolean not null,
  revision bigint not null
);

-- Accounts within the grace of their deletion, and those just purged: their last access tokens must not begin anything new.
create table account_deletions (
  account_id text primary key,
  purged_at timestamptz
);
create index account_deletions_purged_at on account_deletions (purged_at);
