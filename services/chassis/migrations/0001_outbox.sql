-- Events that a transaction of this service has decided on and that the bus has not acknowledged yet.
create table outbox (
  id bigint generated always as identity primary key,
  topic text not null,
  key text not null,
  value bytea not null,
  headers jsonb not null,
  created_at timestamptz not null default now()
);

-- Events that this service has already acted upon: redelivery finds its row and does nothing.
create table consumed_events (
  consumer text not null,
  event_id text not null,
  consumed_at timestamptz not null default now(),
  primary key (consumer, event_id)
);
create index consumed_events_consumed_at on consumed_events (consumed_at);
