#!/bin/sh
# KAFKA_<NAME> sets the property <name>, written with dots, as in the official image. A new data folder is
# formatted.
set -eu
properties=/tmp/server.properties
env | sed -n 's/^KAFKA_\([A-Z0-9_]*\)=\(.*\)$/\1=\2/p' | while IFS='=' read -r name value; do
  echo "$(echo "$name" | tr 'A-Z_' 'a-z.')=$value"
done | grep -v '^opts=' >"$properties"
if [ ! -e "$KAFKA_LOG_DIRS/meta.properties" ]; then
  java -cp '/opt/kafka/libs/*' kafka.tools.StorageTool format \
    --cluster-id="${CLUSTER_ID:-5L6g3nShT-eMCtK--X86sw}" --config="$properties" --ignore-formatted
fi
# KAFKA_OPTS are of the JVM.
# shellcheck disable=SC2086
exec java ${KAFKA_OPTS:-} -Xms128m -Xmx512m -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -cp '/opt/kafka/libs/*' kafka.Kafka "$properties"
