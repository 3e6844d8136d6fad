-- A digest of the client that spent a token; null where it is not known, as for a token spent by an earlier version.
alter table refresh_tokens add column spent_by bytea;
