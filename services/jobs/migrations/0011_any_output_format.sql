-- The formats are listed in proto/vocabulary.ts alone; a new one needs no migration.
alter table jobs drop constraint jobs_output_format_check;
alter table job_divisions drop constraint job_divisions_output_format_check;
