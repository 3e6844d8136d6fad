#!/bin/sh
# POSTGRES_PASSWORD, POSTGRES_DB, PGDATA and the first start's making of the database, as the official image has them.
set -eu
mkdir -p "$PGDATA"
chown -R postgres:postgres "$PGDATA"
as_postgres() { setpriv --reuid=postgres --regid=postgres --init-groups "$@"; }
if [ ! -e "$PGDATA/PG_VERSION" ]; then
  password_file=$(mktemp)
  printf '%s' "$POSTGRES_PASSWORD" >"$password_file"
  chown postgres "$password_file"
  as_postgres initdb --pgdata="$PGDATA" --encoding=UTF8 --auth=scram-sha-256 --pwfile="$password_file" >/dev/null
  rm "$password_file"
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  as_postgres pg_ctl --pgdata="$PGDATA" --options="-c listen_addresses='' -k /tmp" --wait start >/dev/null
  PGPASSWORD=$POSTGRES_PASSWORD as_postgres createdb --host=/tmp "$POSTGRES_DB"
  as_postgres pg_ctl --pgdata="$PGDATA" --wait stop >/dev/null
fi
exec setpriv --reuid=postgres --regid=postgres --init-groups postgres -D "$PGDATA" -c listen_addresses='*' -k /tmp "$@"
