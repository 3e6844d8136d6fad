-- While an operator has suspended the account: since when, and what its holder was given as the reason.
alter table account_limits
  add column suspended_at timestamptz,
  add column suspension_reason text;
