{{- /*
Engines for trials, one pod each, without replicas or backups. Below are their differences. Each define renders a container without
its name, image, resources and files of secrets: dict "root" "name" "settings".
*/ -}}

{{- define "audiosplit.trial.port" -}}
{{- index (dict "postgresql" 5432 "redis" 6379 "kafka" 9092 "storage" 7070) . -}}
{{- end -}}

{{- define "audiosplit.trial.dataPath" -}}
{{- index (dict "postgresql" "/var/lib/postgresql/data" "redis" "/data" "kafka" "/var/lib/kafka/data" "storage" "/storage") . -}}
{{- end -}}

{{- define "audiosplit.trial.secrets" -}}
{{- $storage := .root.Values.storage -}}
{{- $keys := dict -}}
{{- if eq .name "postgresql" -}}
{{- $keys = dict "POSTGRES_PASSWORD" "postgresql-password" -}}
{{- else if eq .name "storage" -}}
{{- $keys = dict "ROOT_ACCESS_KEY_ID" $storage.accessKeyIdKey "ROOT_SECRET_ACCESS_KEY" $storage.secretAccessKeyKey "USERS" "storage-users" -}}
{{- else if eq .name "kafka" -}}
{{- $keys = dict "USERS" "kafka-users" -}}
{{- else if and (eq .name "redis") (not .root.Values.redis.existingSecret) -}}
{{- $keys = dict "USERS" "redis-users" -}}
{{- end -}}
{{- range $variable, $key := $keys -}}
{{- include "audiosplit.secret" (dict "root" $.root "variable" $variable "secret" (dict "existingSecret" "" "key" $key)) -}}
{{- end -}}
{{- end -}}

{{- define "audiosplit.trial.postgresql" -}}
# Two pods of each of five services take 215 connections (docs/operations/scaling.md); its default is 100.
args: [-c, max_connections=300]
env:
  - name: POSTGRES_DB
    value: audiosplit
  - name: PGDATA
    value: /var/lib/postgresql/data/pgdata
  {{- include "audiosplit.secrets.environment" (include "audiosplit.trial.secrets" .) | trim | nindent 2 }}
startupProbe:
  exec: { command: [pg_isready, --quiet, --username, postgres, --host, 127.0.0.1] }
  periodSeconds: 2
  timeoutSeconds: 5
  failureThreshold: 60
readinessProbe:
  exec: { command: [pg_isready, --quiet, --username, postgres, --host, 127.0.0.1] }
  periodSeconds: 10
  timeoutSeconds: 5
{{- end -}}

{{- define "audiosplit.trial.redis" -}}
args: [redis-server, --save, '', --appendonly, 'no', --maxmemory-policy, noeviction{{ if not .root.Values.redis.existingSecret }}, --aclfile, /etc/audiosplit/secrets/USERS{{ end }}]
{{- with include "audiosplit.secrets.environment" (include "audiosplit.trial.secrets" .) | trim }}
env:
  {{- . | nindent 2 }}
{{- end }}
{{ include "audiosplit.trial.tcpProbes" . }}
{{- end -}}

{{- define "audiosplit.trial.kafka" -}}
env:
  - { name: KAFKA_NODE_ID, value: "1" }
  - { name: KAFKA_PROCESS_ROLES, value: 'broker,controller' }
  - { name: KAFKA_LISTENERS, value: 'SASL_PLAINTEXT://:9092,CONTROLLER://:9093' }
  - { name: KAFKA_ADVERTISED_LISTENERS, value: 'SASL_PLAINTEXT://{{ include "audiosplit.kafkaBrokers" .root }}' }
  - { name: KAFKA_INTER_BROKER_LISTENER_NAME, value: SASL_PLAINTEXT }
  - { name: KAFKA_CONTROLLER_LISTENER_NAMES, value: CONTROLLER }
  - { name: KAFKA_LISTENER_SECURITY_PROTOCOL_MAP, value: 'CONTROLLER:SASL_PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT' }
  - { name: KAFKA_SASL_ENABLED_MECHANISMS, value: PLAIN }
  - { name: KAFKA_SASL_MECHANISM_INTER_BROKER_PROTOCOL, value: PLAIN }
  - { name: KAFKA_SASL_MECHANISM_CONTROLLER_PROTOCOL, value: PLAIN }
  - { name: KAFKA_AUTHORIZER_CLASS_NAME, value: org.apache.kafka.metadata.authorizer.StandardAuthorizer }
  - { name: KAFKA_SUPER_USERS, value: 'User:audiosplit' }
  - { name: KAFKA_OPTS, value: -Djava.security.auth.login.config=/etc/audiosplit/secrets/USERS }
  - { name: KAFKA_CONTROLLER_QUORUM_VOTERS, value: '1@localhost:9093' }
  - { name: KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR, value: "1" }
  - { name: KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR, value: "1" }
  - { name: KAFKA_TRANSACTION_STATE_LOG_MIN_ISR, value: "1" }
  - { name: KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS, value: "0" }
  # grant-access creates the topics.
  - { name: KAFKA_AUTO_CREATE_TOPICS_ENABLE, value: "false" }
  # A subfolder, because a fresh volume may hold lost+found.
  - { name: KAFKA_LOG_DIRS, value: /var/lib/kafka/data/logs }
  {{- include "audiosplit.secrets.environment" (include "audiosplit.trial.secrets" .) | trim | nindent 2 }}
{{ include "audiosplit.trial.tcpProbes" . }}
{{- end -}}

{{- define "audiosplit.trial.storage" -}}
# The program reads its key only from variables, so a shell reads the files.
command:
  - /bin/sh
  - -ec
  - |
    ROOT_ACCESS_KEY_ID=$(cat "$ROOT_ACCESS_KEY_ID_FILE")
    ROOT_SECRET_ACCESS_KEY=$(cat "$ROOT_SECRET_ACCESS_KEY_FILE")
    export ROOT_ACCESS_KEY_ID ROOT_SECRET_ACCESS_KEY
    mkdir -p /tmp/users
    cp "$USERS_FILE" /tmp/users/users.json
    exec versitygw "$@"
  - versitygw
args: [--port, ':7070', --region, {{ .root.Values.storage.region | default "us-east-1" }}, --iam-dir, /tmp/users, posix, --sidecar, /storage/metadata, /storage/buckets]
env:
  {{- include "audiosplit.secrets.environment" (include "audiosplit.trial.secrets" .) | trim | nindent 2 }}
{{ include "audiosplit.trial.tcpProbes" . }}
{{- end -}}

{{- define "audiosplit.trial.tcpProbes" -}}
startupProbe:
  tcpSocket: { port: engine }
  periodSeconds: 2
  timeoutSeconds: 5
  failureThreshold: 60
readinessProbe:
  tcpSocket: { port: engine }
  periodSeconds: 10
  timeoutSeconds: 5
{{- end -}}
