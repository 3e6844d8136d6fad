-- Headers of the trace that a notification belongs to: its attempts go on with it, whenever and wherever they are made.
alter table deliveries add column trace jsonb not null default '{}';
