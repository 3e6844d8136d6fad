{{- /* For pods that pass the level `restricted` of Pod Security. */ -}}
{{- define "audiosplit.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "audiosplit.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- /* Where a pod runs, by its component's values or by podDefaults. dict "root" "values" */ -}}
{{- define "audiosplit.placement" -}}
{{- $defaults := .root.Values.podDefaults -}}
{{- $own := .values | default dict -}}
{{- $placement := dict -}}
{{- range $key := list "priorityClassName" "nodeSelector" "tolerations" "affinity" -}}
{{- with index $own $key | default (index $defaults $key) -}}{{- $_ := set $placement $key . -}}{{- end -}}
{{- end -}}
{{- with $placement -}}{{- toYaml . -}}{{- end -}}
{{- end -}}

{{- /* Soft by default, so that it also runs on a cluster of one node. dict "root" "name" */ -}}
{{- define "audiosplit.topologySpreadConstraints" -}}
{{- $component := . -}}
{{- range .root.Values.topologySpread }}
- topologyKey: {{ .topologyKey }}
  maxSkew: {{ .maxSkew }}
  whenUnsatisfiable: {{ .whenUnsatisfiable }}
  labelSelector:
    matchLabels:
      {{- include "audiosplit.selector" $component | nindent 6 }}
  # During an upgrade old and new pods are spread separately.
  matchLabelKeys: [pod-template-hash]
{{- end }}
{{- end -}}

{{- /*
A pod enters service once all its dependencies have answered (startup), and leaves service when its process stops accepting calls
(readiness). Readiness does not include dependencies, because all replicas share them: the outage of one store would take all
replicas out of service, and callers would get refused connections instead of a 503 with Retry-After (docs/degradation.md).
*/ -}}
{{- define "audiosplit.probes" -}}
{{- if eq .name "gateway" -}}
startupProbe:
  httpGet: { path: /readyz, port: http }
  periodSeconds: 2
  timeoutSeconds: 5
  failureThreshold: 90
readinessProbe:
  httpGet: { path: /accepting, port: http }
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: 2
livenessProbe:
  httpGet: { path: /healthz, port: http }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
{{- else -}}
startupProbe:
  grpc: { port: 9090, service: readiness }
  periodSeconds: 2
  timeoutSeconds: 5
  failureThreshold: 90
readinessProbe:
  grpc: { port: 9090, service: accepting }
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: 2
livenessProbe:
  grpc: { port: 9090 }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
{{- end -}}
{{- end -}}

{{- /* dict "root" "name" "facts" "values" */ -}}
{{- define "audiosplit.podSpec" -}}
{{- $secrets := include "audiosplit.secretsOf" . -}}
serviceAccountName: {{ include "audiosplit.nameOf" . }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
terminationGracePeriodSeconds: {{ include "audiosplit.terminationGracePeriodSeconds" . }}
securityContext:
  {{- include "audiosplit.podSecurityContext" . | nindent 2 }}
{{- with include "audiosplit.placement" . }}
{{- . | nindent 0 }}
{{- end }}
{{- with .root.Values.topologySpread }}
topologySpreadConstraints:
  {{- include "audiosplit.topologySpreadConstraints" $ | trim | nindent 2 }}
{{- end }}
containers:
  - name: {{ .name }}
    image: {{ include "audiosplit.image" . }}
    imagePullPolicy: {{ .root.Values.image.pullPolicy }}
    securityContext:
      {{- include "audiosplit.containerSecurityContext" . | nindent 6 }}
    ports:
      {{- if eq .name "gateway" }}
      - { name: http, containerPort: 8080 }
      {{- else }}
      - { name: rpc, containerPort: 9090 }
      {{- end }}
      - { name: metrics, containerPort: {{ .root.Values.monitoring.port }} }
    env:
      {{- include "audiosplit.environment" . | nindent 6 }}
    {{- include "audiosplit.probes" . | nindent 4 }}
    resources:
      {{- toYaml .values.resources | nindent 6 }}
    volumeMounts:
      - { name: tmp, mountPath: /tmp }
      {{- include "audiosplit.secrets.volumeMount" $secrets | nindent 6 }}
      {{- with include "audiosplit.trust.volumeMount" .root }}
      {{- . | nindent 6 }}
      {{- end }}
      {{- if eq .name "account" }}
      - { name: mail, mountPath: /data }
      {{- end }}
      {{- if eq .name "splitter" }}
      - { name: scratch, mountPath: /scratch }
      {{- end }}
volumes:
  - name: tmp
    emptyDir: { sizeLimit: 64Mi }
  {{- include "audiosplit.secrets.volume" $secrets | nindent 2 }}
  {{- with include "audiosplit.trust.volume" .root }}
  {{- . | nindent 2 }}
  {{- end }}
  {{- if eq .name "account" }}
  - name: mail
    emptyDir: { sizeLimit: 256Mi }
  {{- end }}
  {{- if eq .name "splitter" }}
  - name: scratch
    emptyDir:
      {{- toYaml .values.scratch | nindent 6 }}
  {{- end }}
{{- end -}}
