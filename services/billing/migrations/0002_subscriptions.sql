-- How far the account's billing clock runs ahead of the real one; above 0 only in the sandbox.
alter table accounts add column clock_offset_ms bigint not null default 0;
-- What was used before this has been billed, or belongs to a stretch on the Free plan that has ended.
alter table accounts add column usage_closed_until timestamptz;

-- Whom an invoice is made out to, as told at registration.
alter table accounts add column email text;
alter table accounts add column name text;

-- When a job counts: when it finished, on the account's clock, or as soon after as its period was still open.
alter table job_usage add column counted_at timestamptz;
update job_usage set counted_at = finished_at;
alter table job_usage alter column counted_at set not null;
drop index job_usage_account_finished;
create index job_usage_account_counted on job_usage (account_id, counted_at) include (status, source_duration_ms);

-- References into the payment provider's books and what is shown of a card; never the card itself.
create table payment_methods (
  account_id text primary key,
  provider_customer_id text not null,
  provider_method_id text not null,
  type text not null,
  last4 text not null,
  brand text not null,
  expires_month integer not null,
  expires_year integer not null
);

create table subscriptions (
  id text primary key,
  account_id text not null,
  plan_id text not null,
  scheduled_plan_id text,
  status text not null check (status in ('active', 'past_due', 'unpaid', 'canceled')),
  -- Periods are counted in months from here, so that the 31st comes back after a February.
  anchor_at timestamptz not null,
  period_number integer not null,
  current_period_start timestamptz not null,
  current_period_end timestamptz not null,
  -- The plan's fee and the charges for upgrades that this period has cost.
  base_cents bigint not null,
  cancel_at_period_end boolean not null default false,
  cancel_reason text,
  ended_at timestamptz,
  check ((status in ('unpaid', 'canceled')) = (ended_at is not null))
);
create unique index subscriptions_one_running on subscriptions (account_id) where ended_at is null;
create index subscriptions_of_account on subscriptions (account_id, current_period_start);

-- Periods that have ended, as they were billed.
create table ended_periods (
  subscription_id text not null,
  account_id text not null,
  plan_id text not null,
  period_start timestamptz not null,
  period_end timestamptz not null,
  included_minutes integer not null,
  overage_minutes bigint not null,
  base_cents bigint not null,
  overage_cents bigint not null,
  primary key (subscription_id, period_start)
);
create index ended_periods_of_account on ended_periods (account_id, period_start);

create table invoices (
  id text primary key,
  account_id text not null,
  number text not null unique,
  status text not null check (status in ('draft', 'open', 'paid', 'uncollectible', 'void')),
  amount_cents bigint not null check (amount_cents > 0),
  currency text not null,
  period_start timestamptz not null,
  period_end timestamptz not null,
  issued_at timestamptz not null,
  paid_at timestamptz,
  -- Of an open invoice: charges tried so far, the first included, and when the next is due.
  charge_attempts integer not null default 0,
  next_charge_at timestamptz,
  -- A subscription whose invoice is never paid becomes unpaid with it.
  subscription_id text not null,
  -- Grows with the status. A PDF is drawn for each revision.
  revision integer not null default 1,
  drawn_revision integer not null default 0,
  check ((status = 'paid') = (paid_at is not null)),
  check ((status = 'open') = (next_charge_at is not null))
);
create index invoices_of_account on invoices (account_id, issued_at desc, number desc);
create index invoices_due on invoices (account_id, next_charge_at) where status = 'open';
create index invoices_to_draw on invoices (id) where drawn_revision < revision;

create table invoice_lines (
  invoice_id text not null references invoices on delete cascade,
  position integer not null,
  description text not null,
  amount_cents bigint not null,
  primary key (invoice_id, position)
);

-- One row: taking a number locks it until the invoice commits, so that none is ever skipped.
create table invoice_counter (last_number bigint not null);
insert into invoice_counter values (0);

-- What the payment provider was asked to charge. Written before it is asked, with all that follows from its
-- answer: a process that dies in between leaves a row that anyone can take to its end, as the provider charges
-- once per id.
create table charges (
  id text primary key,
  account_id text not null,
  state text not null check (state in ('pending', 'succeeded', 'declined')),
  amount_cents bigint not null check (amount_cents > 0),
  currency text not null,
  purpose text not null check (purpose in ('subscribe', 'upgrade', 'invoice')),
  plan_id text,
  -- Of an upgrade.
  from_plan_id text,
  subscription_id text not null,
  invoice_id text,
  -- Tells a repeat of the request that asked for it.
  request_key text,
  provider_customer_id text not null,
  provider_method_id text not null,
  -- On the account's clock.
  requested_at timestamptz not null,
  created_at timestamptz not null,
  provider_charge_id text,
  decline_message text
);
create unique index charges_one_pending on charges (account_id) where state = 'pending';
-- Not unique: a key may come again for another request once its day is over.
create index charges_of_account on charges (account_id, request_key);
