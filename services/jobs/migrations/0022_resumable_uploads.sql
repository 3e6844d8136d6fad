-- Uploads that arrive in parts. Their sizes are announced; `multipart_id` is null for others.
alter table uploads
  add column multipart_id text,
  -- As the client gave it.
  add column metadata text not null default '',
  -- Parts and tail together.
  add column arrived_bytes bigint not null default 0,
  add column next_part integer not null default 1,
  -- [{number, sizeBytes, tag}], ascending.
  add column parts jsonb not null default '[]',
  -- The bytes behind the last part, an object of their own.
  add column tail_id text,
  add column tail_bytes integer not null default 0;
