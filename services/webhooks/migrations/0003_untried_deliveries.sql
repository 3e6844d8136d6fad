-- What a delivery that has not been tried waits for: the earlier ones of its subject.
create index deliveries_untried on deliveries (account_id, subject, number) where status = 'pending' and tries = 0;
