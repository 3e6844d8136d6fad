-- The formats are listed in proto/vocabulary.ts alone; a new one needs no migration.
-- Parts first, as the queries of running processes lock them.
alter table job_divisions drop constraint job_divisions_output_format_check;
alter table jobs drop constraint jobs_output_format_check;
