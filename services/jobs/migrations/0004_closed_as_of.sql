-- When the last closing or reopening occurred: events may arrive in another order. Null before the first one.
alter table account_queues add column closed_as_of timestamptz;
