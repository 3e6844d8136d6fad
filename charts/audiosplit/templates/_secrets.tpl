{{- /*
A process reads secrets from files, not from its environment. Each pod has one volume for them, in which a file has the name of its
variable; X_FILE names the file of X. A list of secrets below is YAML, with one line for each as `audiosplit.secret` writes it.
*/ -}}

{{- /* dict "root" "variable" "secret" { existingSecret, key }; without existingSecret it is that of the release. */ -}}
{{- define "audiosplit.secret" -}}
{{- $name := .secret.existingSecret | default (include "audiosplit.createdSecret" .root) }}
- { variable: {{ .variable }}, name: {{ $name }}, key: {{ .secret.key }} }
{{- end -}}

{{- /* A list of secrets. */ -}}
{{- define "audiosplit.secrets.environment" -}}
{{- range fromYamlArray . }}
- name: {{ .variable }}_FILE
  value: /etc/audiosplit/secrets/{{ .variable }}
{{- end }}
{{- end -}}

{{- /* A list of secrets. */ -}}
{{- define "audiosplit.secrets.volumeMount" -}}
{{- if fromYamlArray . -}}
- { name: secrets, mountPath: /etc/audiosplit/secrets, readOnly: true }
{{- end -}}
{{- end -}}

{{- /* A list of secrets. The group of the files is the pod's fsGroup. */ -}}
{{- define "audiosplit.secrets.volume" -}}
{{- with fromYamlArray . -}}
- name: secrets
  projected:
    defaultMode: 0440
    sources:
      {{- range . }}
      - secret: { name: {{ .name }}, items: [{ key: {{ .key }}, path: {{ .variable }} }] }
      {{- end }}
{{- end -}}
{{- end -}}

{{- /* The secrets that a component reads: dict "root" "name" "facts" "values". */ -}}
{{- define "audiosplit.secretsOf" -}}
{{- $root := .root -}}
{{- $name := .name -}}
{{- $all := .root.Values -}}
{{- $stores := include "audiosplit.storesOf" . | fromJsonArray -}}
{{- include "audiosplit.identity" (dict "root" $root "process" $name) -}}
{{- if and $all.tracing.endpoint $all.tracing.headers.existingSecret -}}
{{- include "audiosplit.secret" (dict "root" $root "variable" "OTEL_EXPORTER_OTLP_HEADERS" "secret" $all.tracing.headers) -}}
{{- end -}}
{{- if has "postgresql" $stores -}}
{{- include "audiosplit.secret" (dict "root" $root "variable" "DATABASE_URL" "secret" (include "audiosplit.databaseSecret" . | fromJson)) -}}
{{- end -}}
{{- if has "kafka" $stores -}}
{{- include "audiosplit.kafkaSecrets" . -}}
{{- end -}}
{{- if and (has "redis" $stores) (include "audiosplit.redisHasLogin" $root) -}}
{{- include "audiosplit.secret" (dict "root" $root "variable" "REDIS_URL" "secret" $all.redis) -}}
{{- end -}}
{{- if has "storage" $stores -}}
{{- include "audiosplit.storageSecrets" . -}}
{{- end -}}
{{- if eq $name "gateway" -}}
{{- include "audiosplit.secret" (dict "root" $root "variable" "DOWNLOAD_SECRET" "secret" $all.secrets.download) -}}
{{- end -}}
{{- if has $name (list "auth" "webhooks") -}}
{{- include "audiosplit.secret" (dict "root" $root "variable" (printf "%s_SECRET" (upper $name)) "secret" (index $all.secrets $name)) -}}
{{- end -}}
{{- if and (eq $name "account") $all.mail.smtp.existingSecret -}}
{{- include "audiosplit.secret" (dict "root" $root "variable" "SMTP_URL" "secret" $all.mail.smtp) -}}
{{- end -}}
{{- if and (eq $name "billing") (eq (include "audiosplit.paymentProvider" $root) "stripe") -}}
{{- with $all.payments.stripe -}}
{{- include "audiosplit.secret" (dict "root" $root "variable" "STRIPE_SECRET_KEY" "secret" (dict "existingSecret" .existingSecret "key" .secretKeyKey)) -}}
{{- include "audiosplit.secret" (dict "root" $root "variable" "STRIPE_WEBHOOK_SECRET" "secret" (dict "existingSecret" .existingSecret "key" .webhookSecretKey)) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /*
Whether the chart creates a separate login for each component: dict "root" "engine"; empty if not. While events go over
PostgreSQL, all components use its administrator's login.
*/ -}}
{{- define "audiosplit.makesLogins" -}}
{{- if and (include "audiosplit.isTrial" .) (or (ne .engine "postgresql") (and (include "audiosplit.kafkaBrokers" .root) (not .root.Values.postgresql.existingSecret))) -}}true{{- end -}}
{{- end -}}

{{- /* The components that sign in there, as a JSON list: dict "root" "engine". */ -}}
{{- define "audiosplit.usersOf" -}}
{{- $users := list -}}
{{- range $name, $facts := include "audiosplit.components" .root | fromYaml -}}
{{- if has $.engine (include "audiosplit.storesOf" (dict "root" $.root "facts" $facts) | fromJsonArray) -}}
{{- $users = append $users $name -}}
{{- end -}}
{{- end -}}
{{- $users | toJson -}}
{{- end -}}

{{- /* A component's own values for its login: dict "root" "name" "engine". */ -}}
{{- define "audiosplit.ownLogin" -}}
{{- get (index .root.Values .name | default dict) .engine | default dict | toJson -}}
{{- end -}}

{{- /* dict "root" "name": the login of a component at PostgreSQL. */ -}}
{{- define "audiosplit.databaseSecret" -}}
{{- $own := (index .root.Values .name).database | default dict -}}
{{- if $own.existingSecret -}}
{{- dict "existingSecret" $own.existingSecret "key" ($own.key | default .root.Values.postgresql.key) | toJson -}}
{{- else if and (include "audiosplit.makesLogins" (dict "root" .root "engine" "postgresql")) (has .name (include "audiosplit.withSchema" . | fromJsonArray)) -}}
{{- dict "existingSecret" "" "key" (printf "%s-database-url" .name) | toJson -}}
{{- else -}}
{{- dict "existingSecret" .root.Values.postgresql.existingSecret "key" .root.Values.postgresql.key | toJson -}}
{{- end -}}
{{- end -}}

{{- /* The components that share one login at PostgreSQL, as a JSON list; empty if each has its own. */ -}}
{{- define "audiosplit.sharingDatabaseLogin" -}}
{{- $shared := dict "existingSecret" .Values.postgresql.existingSecret "key" .Values.postgresql.key | toJson -}}
{{- $sharing := list -}}
{{- range $name := include "audiosplit.usersOf" (dict "root" . "engine" "postgresql") | fromJsonArray -}}
{{- if eq $shared (include "audiosplit.databaseSecret" (dict "root" $ "name" $name)) -}}
{{- $sharing = append $sharing $name -}}
{{- end -}}
{{- end -}}
{{- ternary $sharing (list) (gt (len $sharing) 1) | toJson -}}
{{- end -}}

{{- /* The login of migrations and backups. */ -}}
{{- define "audiosplit.migrationsDatabaseSecret" -}}
{{- $own := .Values.postgresql.migrations -}}
{{- dict "existingSecret" ($own.existingSecret | default .Values.postgresql.existingSecret) "key" (ternary $own.key .Values.postgresql.key (ne $own.existingSecret "")) | toJson -}}
{{- end -}}

{{- /* The login of a component; for other names the administrator's. dict "root" "name" */ -}}
{{- define "audiosplit.kafkaSecrets" -}}
{{- $own := include "audiosplit.ownLogin" (dict "root" .root "name" .name "engine" "kafka") | fromJson -}}
{{- $login := dict -}}
{{- if include "audiosplit.isTrial" (dict "root" .root "engine" "kafka") -}}
{{- $isUser := has .name (include "audiosplit.usersOf" (dict "root" .root "engine" "kafka") | fromJsonArray) -}}
{{- $prefix := ternary (printf "%s-" .name) "" $isUser -}}
{{- $login = dict "existingSecret" "" "usernameKey" (printf "%skafka-username" $prefix) "passwordKey" (printf "%skafka-password" $prefix) -}}
{{- else if ne .root.Values.kafka.sasl.mechanism "none" -}}
{{- $login = merge $own .root.Values.kafka.sasl -}}
{{- end -}}
{{- if $login -}}
{{- include "audiosplit.secret" (dict "root" .root "variable" "KAFKA_SASL_USERNAME" "secret" (dict "existingSecret" $login.existingSecret "key" $login.usernameKey)) -}}
{{- include "audiosplit.secret" (dict "root" .root "variable" "KAFKA_SASL_PASSWORD" "secret" (dict "existingSecret" $login.existingSecret "key" $login.passwordKey)) -}}
{{- end -}}
{{- end -}}

{{- /* As for Kafka. */ -}}
{{- define "audiosplit.storageSecrets" -}}
{{- $login := merge (include "audiosplit.ownLogin" (dict "root" .root "name" .name "engine" "storage") | fromJson) .root.Values.storage -}}
{{- $isTrial := include "audiosplit.isTrial" (dict "root" .root "engine" "storage") -}}
{{- if and $isTrial (not $login.existingSecret) (has .name (include "audiosplit.usersOf" (dict "root" .root "engine" "storage") | fromJsonArray)) -}}
{{- $login = dict "existingSecret" "" "accessKeyIdKey" (printf "%s-access-key-id" .name) "secretAccessKeyKey" (printf "%s-secret-access-key" .name) -}}
{{- end -}}
{{- if or $login.existingSecret $isTrial -}}
{{- include "audiosplit.secret" (dict "root" .root "variable" "AWS_ACCESS_KEY_ID" "secret" (dict "existingSecret" $login.existingSecret "key" $login.accessKeyIdKey)) -}}
{{- include "audiosplit.secret" (dict "root" .root "variable" "AWS_SECRET_ACCESS_KEY" "secret" (dict "existingSecret" $login.existingSecret "key" $login.secretAccessKeyKey)) -}}
{{- end -}}
{{- end -}}
