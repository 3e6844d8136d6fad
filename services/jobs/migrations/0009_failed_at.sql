-- When a job failed. Null for those that failed before this was kept.
alter table jobs add column failed_at timestamptz;
