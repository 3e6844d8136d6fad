-- Of its transaction. Null where an earlier release began to write it.
alter table outbox add column transaction_id xid8;
alter table outbox alter column transaction_id set default pg_current_xact_id();

-- Hands the events of a transaction to the bus in the same database, as the last thing before its commit: events and
-- changes become visible together, and nothing else waits for the locks of the bus. The session is a member of the bus's
-- role, under which it looks for its partitions.
--
-- All of them stay in the outbox, for the relay, where an earlier event of one of their keys is there still, or where the
-- bus does not know a topic.
create function publish_at_commit() returns trigger language plpgsql
  set search_path from current set enable_seqscan = off as $$
declare
  ids bigint[];
  topics text[];
  keys text[];
  contents bytea[];
  all_headers jsonb[];
  own_role text := current_setting('role');
  published boolean;
begin
  -- Those of this transaction stay.
  if current_setting('audiosplit.bus') <> 'postgres' then return null; end if;
  select array_agg(id order by id), array_agg(topic order by id), array_agg(key order by id),
         array_agg(value order by id), array_agg(headers order by id)
  into ids, topics, keys, contents, all_headers
  from outbox where id >= new.id and transaction_id = new.transaction_id;
  -- Together with the transaction's first one.
  if ids is null then return null; end if;
  if not exists (select from outbox where id < new.id and key = any(keys)) then
    perform set_config('role', 'audiosplit_bus', true);
    published := bus.publish_messages(topics, keys, contents, all_headers);
    perform set_config('role', own_role, true);
  end if;
  if published is not true then
    perform set_config('audiosplit.bus', 'outbox', true);
    return null;
  end if;
  delete from outbox where id = any(ids);
  raise notice using message = 'published', detail = array_to_string(topics, ' '), errcode = 'ASPUB';
  return null;
end
$$;

-- Only on connections that ask for it: where the bus lies elsewhere, the relay brings the events there.
create constraint trigger publish_at_commit after insert on outbox deferrable initially deferred for each row
  when (current_setting('audiosplit.bus', true) = 'postgres') execute function publish_at_commit();
