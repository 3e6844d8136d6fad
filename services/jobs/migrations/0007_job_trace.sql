-- Headers of the trace that a job belongs to: its attempts go on with it, whoever has offered the job.
alter table jobs add column trace jsonb not null default '{}';
