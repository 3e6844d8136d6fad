-- Who is billed. An invoice keeps what the account named when it was issued.
alter table accounts add column company_name text, add column tax_id text;
alter table invoices add column company_name text, add column tax_id text;
