{{- /*
The `replicas` of a Deployment; empty to leave the field out. dict "root" "name" "values"

An autoscaled Deployment should not have the field. But when Helm no longer applies a field that it applied before, the API server
resets it to 1: switching autoscaling on under load would end all pods but one. So while Helm owns the field, the template renders
the present number. Once the autoscaler has set the field, it owns it. A number from Helm, read a moment earlier or restored by a
rollback, would be a conflict that fails the upgrade, so the field is left out.

Only server-side apply (Helm 4) records owners, as entries `Apply` in managedFields. A release that is upgraded by client-side apply
(Helm 3) has none: the last manifest counts, nothing conflicts, and the number is always rendered. A new Deployment starts with one
pod, and the autoscaler soon raises it to minReplicas. Rendering without a cluster finds no Deployment.
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

{{- /* Empty if KEDA does not scale the splitters. */ -}}
{{- define "audiosplit.scalesByKeda" -}}
{{- if and .Values.splitter.autoscaling.enabled (eq .Values.splitter.autoscaling.by "keda") -}}true{{- end -}}
{{- end -}}

{{- /* Whether the splitters may scale to zero; empty if not. */ -}}
{{- define "audiosplit.scalesToZero" -}}
{{- if and (include "audiosplit.scalesByKeda" .) (eq (int .Values.splitter.autoscaling.minReplicas) 0) -}}true{{- end -}}
{{- end -}}
