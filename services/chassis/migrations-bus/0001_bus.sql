create table topics (
  name text primary key,
  partitions int not null check (partitions > 0),
  retention interval not null
);

-- One hot row per partition: the free space keeps its updates within the page, without touching the index.
create table partitions (
  topic text not null references topics on delete cascade,
  partition int not null,
  next_position bigint not null default 0,
  primary key (topic, partition)
) with (fillfactor = 25);

create table messages (
  topic text not null,
  partition int not null,
  position bigint not null,
  key text not null,
  value bytea not null,
  headers jsonb not null,
  published_at timestamptz not null,
  primary key (topic, partition, position),
  foreign key (topic, partition) references partitions on delete cascade
);
-- Rows come in the order of their time, so that a block range index finds the old ones at next to no cost.
create index messages_published_at on messages using brin (published_at) with (pages_per_range = 16);

create table group_partitions (
  group_name text not null,
  topic text not null,
  partition int not null,
  -- Everything before it is consumed.
  position bigint not null default 0,
  -- How often the message at `position` has been handed out.
  deliveries int not null default 0,
  -- The member that holds the partition until `available_at`; whoever changes the row must still be it.
  lease uuid,
  -- End of the lease, or of the pause before a redelivery. Free partitions have -infinity rather than the
  -- time of their release: a claim that began just before the release must still see them as free.
  available_at timestamptz not null default '-infinity',
  claimed_at timestamptz not null default '-infinity',
  primary key (group_name, topic, partition),
  foreign key (topic, partition) references partitions on delete cascade
) with (fillfactor = 25);

-- Appends messages, each given as one element of every array, in the order of the arrays.
create function append_messages(
  of_topics text[], of_partitions int[], keys text[], contents bytea[], of_headers jsonb[]
) returns void language plpgsql as $$
begin
  -- The locks last until the commit, so that positions become visible in their order. Always taken in the
  -- same order, they cannot deadlock.
  perform from partitions p
  where (p.topic, p.partition) in (select * from unnest(of_topics, of_partitions))
  order by p.topic, p.partition
  for update;

  with batch as (
    select *, row_number() over (partition by topic, partition order by ordinal) - 1 as place
    from unnest(of_topics, of_partitions, keys, contents, of_headers) with ordinality
      as message (topic, partition, key, value, headers, ordinal)
  ), advanced as (
    update partitions p
    set next_position = p.next_position + growth.length
    from (select topic, partition, count(*) as length from batch group by topic, partition) growth
    where p.topic = growth.topic and p.partition = growth.partition
    returning p.topic, p.partition, p.next_position - growth.length as base
  )
  insert into messages (topic, partition, position, key, value, headers, published_at)
  select topic, partition, base + place, key, value, headers, clock_timestamp()
  from batch join advanced using (topic, partition)
  order by ordinal;
end
$$;
