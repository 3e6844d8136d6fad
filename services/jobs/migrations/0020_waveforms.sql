-- Until when the account has a waveform being drawn, at most; null: it has none.
alter table account_queues add column drawing_until timestamptz;
