{{- /*
The settings of each process, by the names in its config.ts. They are in the pod itself and not in a ConfigMap, so that a change
restarts only the pods that it affects.
*/ -}}

{{- /* How to connect to Kafka. */ -}}
{{- define "audiosplit.kafkaEnvironment" -}}
- name: KAFKA_BROKERS
  value: {{ include "audiosplit.kafkaBrokers" . }}
{{- if .Values.kafka.tls }}
- name: KAFKA_TLS
  value: "true"
{{- end }}
{{- if include "audiosplit.isTrial" (dict "root" . "engine" "kafka") }}
- name: KAFKA_SASL_MECHANISM
  value: plain
# A trial's network counts as private: its engines have no certificates.
- name: KAFKA_SASL_WITHOUT_TLS
  value: "true"
{{- else if ne .Values.kafka.sasl.mechanism "none" }}
- name: KAFKA_SASL_MECHANISM
  value: {{ .Values.kafka.sasl.mechanism }}
{{- end }}
{{- end -}}

{{- /* dict "root" "name" "facts" "values" */ -}}
{{- define "audiosplit.environment" -}}
{{- $root := .root -}}
{{- $name := .name -}}
{{- $settings := .values -}}
{{- $all := .root.Values -}}
{{- $stores := include "audiosplit.storesOf" . | fromJsonArray -}}
- name: LOG_LEVEL
  value: {{ $settings.logLevel | default $all.logLevel }}
- name: DRAIN_DELAY_SECONDS
  value: {{ $all.drain.delaySeconds | int | quote }}
- name: METRICS_PORT
  value: {{ $all.monitoring.port | int | quote }}
{{- with $all.tracing }}
{{- if .endpoint }}
- name: OTEL_EXPORTER_OTLP_ENDPOINT
  value: {{ .endpoint | quote }}
- name: OTEL_TRACES_SAMPLER_ARG
  value: {{ .sampledShare | quote }}
{{- end }}
{{- end }}
{{- include "audiosplit.secrets.environment" (include "audiosplit.secretsOf" .) }}
{{- with include "audiosplit.trust.environment" $root }}
{{ . }}
{{- end }}
{{- if eq $name "gateway" }}
- name: PORT
  value: "8080"
{{- else }}
- name: RPC_PORT
  value: "9090"
- name: MIGRATE
  value: {{ ternary "true" "false" (eq (include "audiosplit.migrationsMode" $root) "start") | quote }}
{{- end }}
{{- range .facts.calls }}
- name: {{ upper . }}_RPC_URL
  value: http://{{ include "audiosplit.nameOf" (dict "root" $root "name" .) }}:9090
{{- end }}
{{- if has "postgresql" .facts.stores }}
- name: DATABASE_MAX_CONNECTIONS
  value: {{ $all.postgresql.maxConnections | int | quote }}
{{- end }}
{{- if has "kafka" $stores }}
{{ include "audiosplit.kafkaEnvironment" $root }}
{{- end }}
{{- if and (has "redis" $stores) (not (include "audiosplit.redisHasLogin" $root)) }}
- name: REDIS_URL
  value: {{ $all.redis.url }}
{{- end }}
{{- if has "storage" $stores }}
- name: STORAGE_URL
  value: {{ include "audiosplit.storageUrl" $root | quote }}
{{- end }}
{{- if has $name (list "gateway" "account" "splitter") }}
- name: PUBLIC_BASE_URL
  value: {{ $all.publicBaseUrl }}
{{- end }}
{{- if has $name (list "gateway" "auth") }}
- name: JWT_ISSUER
  value: {{ $all.tokens.issuer | quote }}
- name: JWT_AUDIENCE
  value: {{ $all.tokens.audience | quote }}
{{- end }}
{{- if and (has $name (list "splitter" "webhooks")) $all.egress.allowCidrs }}
- name: EGRESS_ALLOW_CIDRS
  value: {{ $all.egress.allowCidrs | join "," | quote }}
{{- end }}
{{- if ne $name "webhooks" }}
{{ include (printf "audiosplit.environment.%s" $name) . | trim }}
{{- end }}
{{- with $settings.env }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "audiosplit.environment.gateway" -}}
- name: DRAIN_REQUESTS_SECONDS
  value: {{ .root.Values.drain.requestsSeconds | int | quote }}
{{- with .root.Values.tokens.jwksUrl }}
- name: JWT_JWKS_URL
  value: {{ . | quote }}
{{- end }}
{{- with .values.trustProxy }}
- name: TRUST_PROXY
  value: {{ join "," . | quote }}
{{- end }}
{{- end -}}

{{- define "audiosplit.environment.auth" -}}
- name: ARGON2_MEMORY_KIB
  value: {{ .values.passwordHashing.memoryKib | int | quote }}
- name: ARGON2_ITERATIONS
  value: {{ .values.passwordHashing.iterations | int | quote }}
{{- $mail := .root.Values.mail }}
- name: REQUIRE_VERIFIED_EMAIL
  value: {{ ternary $mail.requireVerifiedEmail (ne $mail.smtp.existingSecret "") (kindIs "bool" $mail.requireVerifiedEmail) | quote }}
{{- end -}}

{{- define "audiosplit.environment.account" -}}
{{- $mail := .root.Values.mail -}}
{{- if not $mail.smtp.existingSecret -}}
- name: MAIL_DIR
  value: /data/mail
{{- end }}
{{- with $mail.from }}
- name: MAIL_FROM
  value: {{ . | quote }}
{{- end }}
{{- end -}}

{{- define "audiosplit.environment.billing" -}}
{{- $payments := .root.Values.payments -}}
- name: INVOICE_SELLER
  value: {{ $payments.invoiceSeller | join "|" | quote }}
- name: PAYMENT_PROVIDER
  value: {{ include "audiosplit.paymentProvider" .root }}
{{- end -}}

{{- define "audiosplit.environment.jobs" -}}
- name: JOB_LEASE_SECONDS
  value: {{ .values.leaseSeconds | int | quote }}
- name: JOB_REAP_EVERY_SECONDS
  value: {{ .values.reapEverySeconds | int | quote }}
- name: JOB_WALL_CLOCK_LIMIT_SECONDS
  value: {{ .values.wallClockLimitSeconds | int | quote }}
- name: SEGMENT_RETENTION_DAYS
  value: {{ .values.segmentRetentionDays | int | quote }}
{{- end -}}

{{- define "audiosplit.environment.splitter" -}}
- name: DRAIN_GRACE_SECONDS
  value: {{ .root.Values.drain.graceSeconds | int | quote }}
- name: SPLITTER_CONCURRENCY
  value: {{ .values.concurrency | int | quote }}
- name: SPLITTER_PARTS
  value: {{ .values.parts | quote }}
- name: DECODER_SANDBOX
  value: {{ .values.decoderSandbox | quote }}
- name: SOURCE_FETCH_MAX_SECONDS
  value: {{ .values.sourceFetchMaxSeconds | int | quote }}
- name: SCRATCH_DIR
  value: /scratch/jobs
- name: SCRATCH_LIMIT_BYTES
  # Plans are estimates, and bytes fetched ahead are stored here, too: above the limit the pod is evicted.
  value: {{ div (mul (include "audiosplit.bytes" .values.scratch.sizeLimit | int64) 9) 10 | quote }}
{{- with .root.Values.egress.allowUrlPrefixes }}
- name: EGRESS_ALLOW_URL_PREFIXES
  value: {{ join "," . | quote }}
{{- end }}
{{- end -}}
