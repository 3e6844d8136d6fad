-- Accounts that an operator has suspended, and what their holders were given as the reason.
alter table accounts
  add column suspended_at timestamptz,
  add column suspension_reason text;
