-- The account at the payment provider, kept while no method is on file: the next one goes on the same file.
alter table accounts add column provider_customer_id text;
update accounts set provider_customer_id = payment_methods.provider_customer_id
from payment_methods where payment_methods.account_id = accounts.account_id;

alter table accounts add column price_per_month_cents_override bigint;
alter table accounts add column overage_millicents_per_minute_override bigint;

-- Methods that are off the file here and may not be yet with the payment provider.
create table payment_method_removals (
  account_id text not null,
  provider_method_id text not null,
  removed_at timestamptz not null,
  primary key (account_id, provider_method_id)
);
create index payment_methods_by_provider_id on payment_methods (provider_method_id);
create index payment_methods_by_customer on payment_methods (provider_customer_id);

-- Of what the payment provider has told, the ids: it may tell it again.
create table provider_events (
  event_id text primary key,
  received_at timestamptz not null
);
create index provider_events_received_at on provider_events (received_at);
