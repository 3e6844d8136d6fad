-- What a job has used of the patience with its source, all attempts together; null until an attempt has reported it.
alter table jobs add column source_fetch_ms integer, add column source_resumes smallint;
