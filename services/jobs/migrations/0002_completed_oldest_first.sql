-- Unfinished jobs come last in both orders, which one index read either way cannot give.
create index jobs_by_completion_oldest_first on jobs (account_id, completed_at, id);
