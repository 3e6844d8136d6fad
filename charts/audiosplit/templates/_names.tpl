{{- define "audiosplit.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- /* The name of an object that belongs to one component: dict "root" "name". */ -}}
{{- define "audiosplit.nameOf" -}}
{{- printf "%s-%s" (include "audiosplit.fullname" .root) .name -}}
{{- end -}}

{{- /* The labels by which pods are selected; they never change: dict "root" "name". */ -}}
{{- define "audiosplit.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end -}}

{{- /* dict "root" "name" */ -}}
{{- define "audiosplit.labels" -}}
{{ include "audiosplit.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: audiosplit
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* Without versions, so that an upgrade replaces only the pods that it changes: dict "root" "name". */ -}}
{{- define "audiosplit.podLabels" -}}
{{ include "audiosplit.selector" . }}
app.kubernetes.io/part-of: audiosplit
{{- with merge dict .root.Values.podDefaults.labels .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* dict "root" "name": the image of a component, by digest if values give one. */ -}}
{{- define "audiosplit.image" -}}
{{- $image := .root.Values.image -}}
{{- $own := (index .root.Values .name).image | default dict -}}
{{- $repository := $own.repository | default (printf "%s%s" $image.prefix .name) -}}
{{- with $image.registry -}}{{- $repository = printf "%s/%s" (trimSuffix "/" .) $repository -}}{{- end -}}
{{- if $own.digest -}}
{{- printf "%s@%s" $repository $own.digest -}}
{{- else -}}
{{- printf "%s:%s" $repository ($own.tag | default $image.tag | default .root.Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{- define "audiosplit.createdSecret" -}}
{{- printf "%s-secrets" (include "audiosplit.fullname" .) -}}
{{- end -}}
