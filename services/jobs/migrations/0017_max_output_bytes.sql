-- What all segments of a job may take together. Null where an earlier release has saved the limits.
alter table account_limits add column max_output_bytes bigint;
