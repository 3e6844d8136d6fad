-- What minutes beyond the plan may cost in a period. Not set by hand: a multiple of the plan's price; set to null: no limit.
alter table accounts add column spend_limit_is_set boolean not null default false;
alter table accounts add column spend_limit_cents bigint check (spend_limit_cents >= 0);
-- As it has been published last.
alter table accounts add column spend_limit_reached boolean not null default false;

-- What has been published of an account's usage: once each in a period.
create table usage_thresholds (
  account_id text not null,
  period_start timestamptz not null,
  metric text not null check (metric in ('minutes', 'spend')),
  percent integer not null,
  primary key (account_id, period_start, metric, percent)
);
create index usage_thresholds_by_period on usage_thresholds (period_start);

-- Of invoices that may be debts.
create index invoices_unpaid on invoices (account_id) where status in ('open', 'uncollectible');

-- Answers of the payment provider that have been read: with the row's id they make the idempotency key of the next call.
alter table accounts add column provider_answers integer not null default 0;
alter table charges add column provider_answers integer not null default 0;
