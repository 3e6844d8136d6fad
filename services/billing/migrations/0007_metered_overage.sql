-- Stretches of a period in which the account's terms were the same, written when they end: what was metered under them
-- keeps its price, whatever plan or figures hold later.
create table metered_overage (
  subscription_id text not null,
  period_start timestamptz not null,
  account_id text not null,
  -- Minutes of the whole period, up to the end of the stretch.
  metered_minutes bigint not null,
  -- Of those of the stretch.
  overage_minutes bigint not null check (overage_minutes >= 0),
  included_minutes integer not null,
  overage_millicents_per_minute bigint not null,
  -- The upgrade's charge that bills it. Without one, or once that is declined, the end of the period does.
  charge_id text,
  primary key (subscription_id, period_start, metered_minutes)
);
create index metered_overage_of_account on metered_overage (account_id);

-- Of a charge for an upgrade: the part that is not overage. Null: all of it.
alter table charges add column proration_cents bigint;
