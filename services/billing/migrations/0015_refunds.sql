-- What is given back of paid invoices. Written before the provider is asked, like charges: a process that dies in between
-- leaves a row that anyone can take to its end.
create table refunds (
  id text primary key,
  -- In the order in which they became known here.
  position bigint not null generated always as identity,
  account_id text not null,
  invoice_id text not null references invoices on delete cascade,
  state text not null check (state in ('pending', 'succeeded', 'failed')),
  amount_cents bigint not null check (amount_cents > 0),
  currency text not null,
  -- For the account's holder.
  reason text not null,
  -- Tells a repeat of the request that asked for it. Null: it was made at the provider.
  request_key text,
  provider_charge_id text not null,
  -- Null: not accepted by the provider, or not known to be.
  provider_refund_id text unique,
  provider_answers integer not null default 0,
  -- On the real clock.
  created_at timestamptz not null
);
create index refunds_of_invoice on refunds (invoice_id, position);
create unique index refunds_of_request on refunds (account_id, request_key);
create index refunds_unanswered on refunds (created_at) where state = 'pending' and provider_refund_id is null;
create index charges_by_provider_id on charges (provider_charge_id);
