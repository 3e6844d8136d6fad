-- Name and port of the target; null in rows that an earlier version has written.
alter table deliveries add column host text;

-- Hosts whose last attempts for the account have timed out, one after the other.
create table circuits (
  account_id text not null,
  host text not null,
  timeouts integer not null,
  timed_out_at timestamptz not null,
  primary key (account_id, host)
);
create index circuits_timed_out_at on circuits (timed_out_at);
