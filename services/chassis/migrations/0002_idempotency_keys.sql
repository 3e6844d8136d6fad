-- Answers to calls that came with an idempotency key, for as long as a repeat may ask for them.
create table idempotency_keys (
  -- Who called.
  scope text not null,
  key text not null,
  method text not null,
  -- Of the request: a key that comes with another one is refused.
  fingerprint text not null,
  -- Sealed: answers may hold secrets.
  answer bytea not null,
  expires_at timestamptz not null,
  primary key (scope, key, method)
);
create index idempotency_keys_expires_at on idempotency_keys (expires_at);
