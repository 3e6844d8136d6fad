#!/bin/sh
# fix-metadata.sh ROOT: gives every file in ROOT the same owner, mode and time in every build; the modes of a
# checkout depend on the umask. SOURCE_DATE_EPOCH is the time, in seconds since 1970.
set -eu
chown -hR 0:0 "$1"
chmod -R u=rwX,go=rX "$1"
find "$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
