-- The figures that a refusal names; null in rows of an earlier release.
alter table account_limits add column monthly_minutes integer;
alter table account_limits add column spend_limit_cents bigint;
