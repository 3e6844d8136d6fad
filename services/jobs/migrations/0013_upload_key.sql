-- Where the source lies in the object store, for sources that were uploaded. Null for other sources, and in rows of an
-- earlier release.
alter table jobs add column upload_key text;
