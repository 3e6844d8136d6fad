-- Terms that applied up to an instant of a period, by the account's clock: what was completed before it and is counted
-- after it is priced by them.
create table ended_terms (
  subscription_id text not null,
  period_start timestamptz not null,
  ended_at timestamptz not null,
  account_id text not null,
  included_minutes integer not null,
  overage_millicents_per_minute bigint not null,
  primary key (subscription_id, period_start, ended_at)
);
create index ended_terms_of_account on ended_terms (account_id);
