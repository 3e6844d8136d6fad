{{- /* Each process signs its calls with a key of its own, and knows the public keys of all (docs/operations/secrets.md). */ -}}

{{- /* The components, and the operators' console and commands: those of proto/callers.ts. */ -}}
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

{{- /* The data of the Secret that the release before this one made. */ -}}
{{- define "audiosplit.keptSecret" -}}
{{- dig "data" dict (lookup "v1" "Secret" .Release.Namespace (include "audiosplit.createdSecret" .) | default dict) | toJson -}}
{{- end -}}

{{- /*
Base64 of the secret that signed calls before there were identities, for the upgrade from such a release: its pods and the new
ones call each other meanwhile. The Secret has no identities yet then. Empty at every other time.
*/ -}}
{{- define "audiosplit.keptInternalSecret" -}}
{{- $kept := include "audiosplit.keptSecret" . | fromJson -}}
{{- if and .Values.secrets.create (not .Values.identities.existingSecret) (not (index $kept "public-keys")) -}}
{{- index $kept .Values.secrets.internal.key | default "" -}}
{{- end -}}
{{- end -}}
