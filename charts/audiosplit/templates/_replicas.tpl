{{- /*
How many pods a Deployment is told to have; empty where it is not told. dict "root" "name" "values"

An autoscaled one would do without, were it not that whoever applied a field and then leaves it out removes it, and that the
API server puts 1 in its place: switched on under load, autoscaling would begin by ending all pods but one. So for as long as
the number is Helm's, it is rendered as it is found. Once the autoscaler has set it, it is the autoscaler's, and another one
from Helm, found a moment earlier or by a rollback, would be a conflict that ends the upgrade: it is left out.

Server-side apply (Helm 4) alone knows owners, by the entries `Apply` in managedFields. A release that is upgraded by
client-side apply (Helm 3) has none: there the last manifest counts, nothing conflicts, and the number is always rendered.
A new Deployment begins with one pod, which the autoscaler raises to minReplicas at its first look. Who renders without a
cluster finds none.
*/ -}}
{{- define "audiosplit.replicas" -}}
{{- if not (.values.autoscaling | default dict).enabled -}}
{{- .values.replicas -}}
{{- else -}}
{{- $live := lookup "apps/v1" "Deployment" .root.Release.Namespace (include "audiosplit.nameOf" .) | default dict -}}
{{- $isApplied := false -}}
{{- $isOurs := false -}}
{{- range dig "metadata" "managedFields" list $live -}}
{{- if eq .operation "Apply" -}}
{{- $isApplied = true -}}
{{- if hasKey (dig "fieldsV1" "f:spec" dict .) "f:replicas" -}}{{- $isOurs = true -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- if or $isOurs (not $isApplied) -}}{{- dig "spec" "replicas" "" $live -}}{{- end -}}
{{- end -}}
{{- end -}}
