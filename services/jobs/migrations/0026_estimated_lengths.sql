-- Of a source that was not read to its end, and does not say how long it is; null: source_duration_ms was counted.
alter table jobs add column source_duration_is_estimate boolean;
