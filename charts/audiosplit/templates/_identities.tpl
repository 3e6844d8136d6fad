{{- /* Each process signs its calls with its own key and reads the public keys of all (docs/operations/secrets.md). */ -}}

{{- /* The processes of proto/callers.ts: the components, and `operator` for the operators' console and commands. */ -}}
{{- define "audiosplit.processes" -}}
{{- include "audiosplit.components" . | fromYaml | keys | sortAlpha | concat (list "operator") | toJson -}}
{{- end -}}

{{- /* The secrets of a process: dict "root" "process". */ -}}
{{- define "audiosplit.identity" -}}
{{- $root := .root -}}
{{- $existing := .root.Values.identities.existingSecret -}}
{{- include "audiosplit.secret" (dict "root" $root "variable" "IDENTITY_PRIVATE_KEY" "secret" (dict "existingSecret" $existing "key" (printf "%s-private-key" .process))) -}}
{{- include "audiosplit.secret" (dict "root" $root "variable" "IDENTITY_PUBLIC_KEYS" "secret" (dict "existingSecret" $existing "key" "public-keys")) -}}
{{- if or .root.Values.secrets.internal.existingSecret (include "audiosplit.keptInternalSecret" $root) -}}
{{- include "audiosplit.secret" (dict "root" $root "variable" "INTERNAL_SECRET" "secret" .root.Values.secrets.internal) -}}
{{- end -}}
{{- end -}}

{{- /* The data of the Secret that the previous release created. */ -}}
{{- define "audiosplit.keptSecret" -}}
{{- dig "data" dict (lookup "v1" "Secret" .Release.Namespace (include "audiosplit.createdSecret" .) | default dict) | toJson -}}
{{- end -}}

{{- /*
Base64 of the secret that signed calls before processes had identities. It is only needed in the upgrade from such a release, while
its pods and the new ones call each other; the Secret has no identities at that time. Otherwise empty.
*/ -}}
{{- define "audiosplit.keptInternalSecret" -}}
{{- $kept := include "audiosplit.keptSecret" . | fromJson -}}
{{- if and .Values.secrets.create (not .Values.identities.existingSecret) (not (index $kept "public-keys")) -}}
{{- index $kept .Values.secrets.internal.key | default "" -}}
{{- end -}}
{{- end -}}
