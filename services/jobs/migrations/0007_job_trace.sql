-- Headers of the trace that a job belongs to: its attempts go on with it, whoever has offered the job. Empty once it has
-- ended: of the rows that stay, each would be a sixth larger.
alter table jobs add column trace jsonb not null default '{}';
