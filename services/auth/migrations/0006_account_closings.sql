-- When the last closing or reopening of an account occurred: events may arrive in another order. The row outlives a
-- reopening, which takes that of account_deletions away, and goes with the account.
create table account_closings (
  account_id text primary key,
  occurred_at timestamptz not null
);
