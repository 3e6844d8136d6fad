-- What cuts beyond the first two modes tell of a segment. Null in rows of an earlier release.
alter table segments add column content_start_ms bigint;
alter table segments add column end_kind text;
alter table segments add column title text;
alter table segments add column size_is_estimate boolean;
-- What loudness normalisation has found: the message Loudness as JSON.
alter table jobs add column loudness jsonb;
-- What counts as used; null: source_duration_ms.
alter table jobs add column metered_ms bigint;
-- Dry runs are kept for less time than other jobs.
create index jobs_dry_runs on jobs (completed_at)
  where status = 'completed' and segments_expired_at is null and cut @> '{"dryRun": true}';
