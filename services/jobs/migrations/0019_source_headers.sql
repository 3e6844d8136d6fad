-- Headers with which the source is asked for: their names, and all of them encrypted. Names are kept with the job.
alter table jobs add column source_header_names text[];
alter table jobs add column source_headers bytea;

-- However a job ends, and whichever release ends it: the headers go with the same statement.
create function forget_source_headers() returns trigger language plpgsql as $$
begin
  new.source_headers := null;
  return new;
end
$$;
create trigger forget_source_headers before update on jobs for each row
  when (new.source_headers is not null and new.status in ('completed', 'failed'))
  execute function forget_source_headers();
