-- Each statement in these functions finds its rows by index, whatever the values. The server would plan them anew at each call,
-- which takes longer than to run them.
alter function append_messages(text[], int[], text[], bytea[], jsonb[]) set plan_cache_mode = force_generic_plan;
alter function publish_messages(text[], text[], bytea[], jsonb[]) set plan_cache_mode = force_generic_plan;
