{{- /*
Which component calls which, and where each stores its data. Addresses, credentials and network policies follow from this table. It
has to agree with each service.ts and with the gateway's services.ts. `bus` is Kafka if there are brokers, otherwise PostgreSQL.
`outside`: other destinations outside of the release, by their names in networkPolicies, if values set them. `leaves`: whether it
connects to addresses that callers name.
*/ -}}
{{- define "audiosplit.components" -}}
gateway: { calls: [auth, account, billing, jobs, webhooks], stores: [redis, storage], outside: [tokenIssuer, collector], leaves: false }
auth: { calls: [billing], stores: [postgresql, bus], outside: [collector], leaves: false }
account: { calls: [auth, billing, jobs, webhooks], stores: [postgresql, bus, storage], outside: [mail, collector], leaves: false }
billing: { calls: [], stores: [postgresql, bus, storage], outside: [payments, collector], leaves: false }
jobs: { calls: [billing, splitter], stores: [postgresql, bus, storage], outside: [collector], leaves: false }
splitter: { calls: [jobs], stores: [bus, storage], outside: [collector], leaves: true }
webhooks: { calls: [], stores: [postgresql, bus], outside: [collector], leaves: true }
{{- end -}}

{{- /* The components with a schema, which need migrations. */ -}}
{{- define "audiosplit.withSchema" -}}
["auth", "account", "billing", "jobs", "webhooks"]
{{- end -}}

{{- /* dict "root" "facts": a JSON list of postgresql, redis, kafka, storage. */ -}}
{{- define "audiosplit.storesOf" -}}
{{- $root := .root -}}
{{- $stores := list -}}
{{- range .facts.stores -}}
{{- if eq . "bus" -}}
{{- $stores = append $stores (ternary "kafka" "postgresql" (ne (include "audiosplit.kafkaBrokers" $root) "")) -}}
{{- else if or (ne . "redis") (ne (include "audiosplit.redisIsUsed" $root) "") -}}
{{- $stores = append $stores . -}}
{{- end -}}
{{- end -}}
{{- $stores | uniq | toJson -}}
{{- end -}}

{{- /* Whether the chart itself starts an engine, for trials: dict "root" "engine"; empty if not. */ -}}
{{- define "audiosplit.isTrial" -}}
{{- if has .engine .root.Values.trial.engines -}}true{{- end -}}
{{- end -}}

{{- /*
host:port pairs separated by commas; empty where events go over PostgreSQL. The trial's broker has a name that is found from other
namespaces, too, under any cluster domain: KEDA connects from its own.
*/ -}}
{{- define "audiosplit.kafkaBrokers" -}}
{{- if include "audiosplit.isTrial" (dict "root" . "engine" "kafka") -}}
{{- include "audiosplit.nameOf" (dict "root" . "name" "kafka") -}}.{{- .Release.Namespace -}}.svc:9092
{{- else -}}
{{- .Values.kafka.brokers | join "," -}}
{{- end -}}
{{- end -}}

{{- define "audiosplit.redisIsUsed" -}}
{{- if or .Values.redis.url .Values.redis.existingSecret (include "audiosplit.isTrial" (dict "root" . "engine" "redis")) -}}true{{- end -}}
{{- end -}}

{{- /* Whether Redis needs a password, which makes its URL a secret; empty if not. */ -}}
{{- define "audiosplit.redisHasLogin" -}}
{{- if or .Values.redis.existingSecret (and (not .Values.redis.url) (include "audiosplit.isTrial" (dict "root" . "engine" "redis"))) -}}true{{- end -}}
{{- end -}}

{{- define "audiosplit.storageEndpoint" -}}
{{- if include "audiosplit.isTrial" (dict "root" . "engine" "storage") -}}
http://{{ include "audiosplit.nameOf" (dict "root" . "name" "storage") }}:7070
{{- else -}}
{{- .Values.storage.endpoint -}}
{{- end -}}
{{- end -}}

{{- define "audiosplit.storageUrl" -}}
{{- $parameters := list -}}
{{- with include "audiosplit.storageEndpoint" . -}}{{- $parameters = append $parameters (printf "endpoint=%s" (urlquery .)) -}}{{- end -}}
{{- with .Values.storage.region -}}{{- $parameters = append $parameters (printf "region=%s" (urlquery .)) -}}{{- end -}}
s3://{{ .Values.storage.bucket }}{{- if $parameters -}}?{{- $parameters | join "&" -}}{{- end -}}
{{- end -}}

{{- /* The provider that values name; in a trial the sandbox. */ -}}
{{- define "audiosplit.paymentProvider" -}}
{{- .Values.payments.provider | default (ternary "sandbox" "" .Values.secrets.create) -}}
{{- end -}}

{{- /* The port of a URL, or the default of its scheme. */ -}}
{{- define "audiosplit.portOf" -}}
{{- $parts := urlParse . -}}
{{- $port := regexFind ":[0-9]+$" $parts.host | trimPrefix ":" -}}
{{- $port | default (ternary "80" "443" (eq $parts.scheme "http")) -}}
{{- end -}}

{{- /*
hook: a Job migrates before anything else is replaced. start: each service migrates when it starts, because the database is part of
this release.
*/ -}}
{{- define "audiosplit.migrationsMode" -}}
{{- if ne .Values.migrations.mode "auto" -}}
{{- .Values.migrations.mode -}}
{{- else if include "audiosplit.isTrial" (dict "root" . "engine" "postgresql") -}}
start
{{- else -}}
hook
{{- end -}}
{{- end -}}

{{- /* The bytes of a Kubernetes quantity. */ -}}
{{- define "audiosplit.bytes" -}}
{{- if not (kindIs "string" .) -}}
{{- int64 . -}}
{{- else -}}
{{- $factors := dict "" 1 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 "m" 0.001 -}}
{{- $number := regexFind "^[0-9.]+" . -}}
{{- mulf (float64 $number) (index $factors (trimPrefix $number .)) | int64 -}}
{{- end -}}
{{- end -}}

{{- /* The maximum of a component's pods: dict "values". */ -}}
{{- define "audiosplit.mostReplicas" -}}
{{- $autoscaling := .values.autoscaling | default dict -}}
{{- if $autoscaling.enabled -}}{{- $autoscaling.maxReplicas -}}{{- else -}}{{- .values.replicas -}}{{- end -}}
{{- end -}}

{{- /*
The grace period of a pod: the longest that its process takes to stop, and 5 s more (docs/decisions/0026).
dict "root" "name"
*/ -}}
{{- define "audiosplit.terminationGracePeriodSeconds" -}}
{{- $drain := .root.Values.drain -}}
{{- $delay := int $drain.delaySeconds -}}
{{- if eq .name "gateway" -}}
{{- add $delay (int $drain.requestsSeconds) 5 5 -}}
{{- else if eq .name "splitter" -}}
{{- add $delay (int $drain.graceSeconds) 20 5 -}}
{{- else -}}
{{- add $delay 20 5 -}}
{{- end -}}
{{- end -}}
