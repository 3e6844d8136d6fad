-- A key is that of one request, whichever method of the service answers it. Of two that shared one the later is kept.
delete from idempotency_keys as earlier using idempotency_keys as later
where later.scope = earlier.scope and later.key = earlier.key
  and (later.expires_at, later.method) > (earlier.expires_at, earlier.method);
alter table idempotency_keys drop constraint idempotency_keys_pkey;
alter table idempotency_keys add primary key (scope, key);
