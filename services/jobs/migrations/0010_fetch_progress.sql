-- How much of its source the attempt at a job has fetched; null unless it is fetching.
alter table jobs add column fetched_bytes bigint;
alter table jobs add column fetch_total_bytes bigint;
