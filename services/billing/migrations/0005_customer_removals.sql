-- Customers of accounts that are gone, which the payment provider may not have forgotten yet.
create table customer_removals (
  provider_customer_id text primary key,
  removed_at timestamptz not null
);
