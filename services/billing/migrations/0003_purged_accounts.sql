-- Accounts that are gone, for as long as something of theirs may still arrive: nothing but the id.
create table purged_accounts (
  account_id text primary key,
  purged_at timestamptz not null
);
create index purged_accounts_purged_at on purged_accounts (purged_at);
