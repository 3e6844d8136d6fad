-- What operators look for: whose a mail address is, and whose figures differ from their plan's.
create index accounts_by_email on accounts (lower(email) text_pattern_ops);
create index accounts_with_overrides on accounts (account_id)
  where num_nonnulls(requests_per_minute_override, concurrent_jobs_override, max_file_size_bytes_override,
                     monthly_minutes_override, price_per_month_cents_override,
                     overage_millicents_per_minute_override) > 0;
