-- Where a source is cut: the message Cut as JSON. Null in rows of an earlier release, whose cut is in split_mode,
-- segment_duration_seconds and max_file_size_bytes. This release writes those three as well, for processes of the earlier
-- one. The next release fills `cut` where it is null, and drops them.
alter table jobs add column cut jsonb;
-- Null for a mode that the earlier release does not know. The checks of the three columns accept that.
alter table jobs alter column split_mode drop not null;
