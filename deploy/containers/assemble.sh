#!/bin/sh
# assemble.sh SERVICE: lays out /image, the whole root of the service's image, in the Dockerfile's production stage.
set -eu
service=$1
case "$service" in
  gateway) folder=gateway ;;
  # Of the services, the commands import billing alone: its client.
  tools) folder=services/billing ;;
  *) folder=services/$service ;;
esac

sh "$(dirname "$0")/copy-programs.sh" /image "$(readlink -f "$(command -v node)")"
mkdir -p /image/usr/local/bin /image/etc/ssl/certs /image/app/node_modules /image/tmp /image/scratch /image/data
node_path=$(readlink -f "$(command -v node)")
[ "$node_path" = /usr/local/bin/node ] || mv "/image$node_path" /image/usr/local/bin/node
cp /etc/ssl/certs/ca-certificates.crt /image/etc/ssl/certs/
echo 'audiosplit:x:65532:65532::/app:/sbin/nologin' >/image/etc/passwd
echo 'audiosplit:x:65532:' >/image/etc/group

# Workspaces are links in node_modules: they lead to the same places in the image.
cp -a /app/node_modules /app/package.json /image/app/
engine=
[ "$service" != splitter ] || engine=clients/engine
for workspace in clients/cuts proto services/chassis $engine "$folder"; do
  mkdir -p "/image/app/$workspace"
  cp "/build/$workspace/package.json" "/image/app/$workspace/"
  cp -r "/build/$workspace/dist" "/image/app/$workspace/"
  for kept in gen migrations migrations-bus; do
    [ ! -d "/build/$workspace/$kept" ] || cp -r "/build/$workspace/$kept" "/image/app/$workspace/"
  done
  # Dependencies that could not be hoisted.
  [ ! -d "/app/$workspace/node_modules" ] || cp -a "/app/$workspace/node_modules" "/image/app/$workspace/"
done
# What confines ffmpeg: the bytes that the tests have tried, and that CI compares with their sources (deploy/sandbox).
[ "$service" != splitter ] || install -D -m 755 -t /image/app/clients/engine/sandbox "/build/clients/engine/sandbox/sandbox-$(node -p process.arch)"
# The compiled half of a library, an optional dependency of its own for each platform.
[ "$service" != auth ] || cp -a /build/node_modules/@node-rs/argon2-linux-* /image/app/node_modules/@node-rs/
# The page and the guide that the gateway serves.
[ "$service" != gateway ] || (mkdir -p /image/app/gateway/console && cp -r /build/gateway/console/dist /image/app/gateway/console/)
[ "$service" != tools ] || {
  mkdir -p /image/app/deploy/operations
  cp -r /build/deploy/operations/dist /image/app/deploy/operations/
  ln -sfn ../../services/billing /image/app/node_modules/@audiosplit/billing
}
for link in /image/app/node_modules/@audiosplit/*; do
  [ -e "$link" ] || rm "$link"
done
# What no process reads at run time. TypeScript comes as a library's optional peer, since the build has it.
rm -rf /image/app/node_modules/typescript
find /image/app/node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.cts' -o -name '*.d.mts' -o -name '*.md' \) -delete
rm -rf /image/app/node_modules/.bin /image/app/node_modules/.package-lock.json
find /image/app -name '*.tsbuildinfo' -delete

if [ "$service" = tools ]; then
  echo "import './deploy/operations/dist/operations/main.js';" >/image/app/main.js
else
  echo "import './$folder/dist/main.js';" >/image/app/main.js
  cp "$(dirname "$0")/healthcheck.mjs" /image/app/
fi

# Compiled libraries come with what they link.
find /image/app/node_modules -name '*.node' -print0 | xargs -0r sh "$(dirname "$0")/copy-programs.sh" /image
# What is missing is to show here, and not when the image is started.
if [ "$service" = tools ]; then
  for command in backup dead-letters grant-access overrides; do
    said=$(chroot /image /usr/local/bin/node /app/main.js "$command" 2>&1) || true
    case "$said" in *usage:*) ;; *) echo "$said" >&2; exit 1 ;; esac
  done
else
  chroot /image /usr/local/bin/node --input-type=module --eval "await import('/app/$folder/dist/service.js')"
fi

node "$(dirname "$0")/write-sbom.mjs" "audiosplit-$service" /image
sh "$(dirname "$0")/fix-metadata.sh" /image
chmod 1777 /image/tmp
chown 65532:65532 /image/scratch /image/data
