-- A batch is what its jobs have in common, and nothing beside them.
alter table jobs add column batch_id text;
create index jobs_of_batch on jobs (batch_id, created_at, id) where batch_id is not null;
