-- What operators did by their console: written before it is done, with what came of it after.
create table operator_acts (
  id text primary key,
  -- In the order of their beginning.
  position bigint not null generated always as identity,
  begun_at timestamptz not null,
  operator text not null,
  action text not null,
  reason text not null,
  -- JSON, as the operator sent it.
  input text not null,
  -- Whom it concerns. Null: no account.
  account_id text,
  -- `done` or the code of an error. Null: not known, as the console ended meanwhile.
  outcome text
);
create index operator_acts_in_order on operator_acts (position);
create index operator_acts_of_account on operator_acts (account_id, position);
