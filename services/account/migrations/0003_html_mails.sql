-- Null: plain text alone, as releases before wrote it.
alter table mails add column html text;
