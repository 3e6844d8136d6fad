-- The connection to the bucket in which the source lies.
alter table jobs add column source_connection_id text;
