{{- /*
Authorities that processes trust besides the public ones: a file that Node reads once, when a process starts. The volume names the
key, so that a pod without it does not start; Node itself would continue without the file.
*/ -}}
{{- define "audiosplit.trust.environment" -}}
{{- if .Values.trust.existingConfigMap -}}
- name: NODE_EXTRA_CA_CERTS
  value: /etc/audiosplit/trust/ca.pem
{{- end -}}
{{- end -}}

{{- define "audiosplit.trust.volumeMount" -}}
{{- if .Values.trust.existingConfigMap -}}
- { name: trust, mountPath: /etc/audiosplit/trust, readOnly: true }
{{- end -}}
{{- end -}}

{{- define "audiosplit.trust.volume" -}}
{{- with .Values.trust -}}
{{- if .existingConfigMap -}}
- name: trust
  configMap:
    name: {{ .existingConfigMap }}
    items: [{ key: {{ .key }}, path: ca.pem }]
{{- end -}}
{{- end -}}
{{- end -}}
