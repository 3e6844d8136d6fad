-- Appends messages to the partitions of their keys; false, without any of them, where a topic is not known. The partition
-- of a key is that which the processes choose (store.ts).
create function publish_messages(
  of_topics text[], keys text[], contents bytea[], of_headers jsonb[]
) returns boolean language plpgsql set search_path from current set enable_seqscan = off as $$
declare
  of_partitions int[];
begin
  select array_agg(
    (('x' || encode(substring(sha256(convert_to(message.key, 'UTF8')) from 1 for 4), 'hex'))::bit(32)::bigint
      % topics.partitions)::int
    order by message.ordinal)
  into of_partitions
  from unnest(of_topics, keys) with ordinality as message (topic, key, ordinal)
  left join topics on topics.name = message.topic;
  if array_position(of_partitions, null) is not null then return false; end if;
  perform append_messages(of_topics, of_partitions, keys, contents, of_headers);
  return true;
end
$$;
