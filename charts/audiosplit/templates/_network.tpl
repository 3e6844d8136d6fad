{{- /* Egress to whoever resolves names. */ -}}
{{- define "audiosplit.egressToDns" -}}
- to:
    {{- toYaml .Values.networkPolicies.dns.to | nindent 4 }}
  ports:
    - { port: 53, protocol: UDP }
    - { port: 53, protocol: TCP }
{{- end -}}

{{- /* Egress to what is named in values; without peers to any address, at these ports. dict "to" "ports" */ -}}
{{- define "audiosplit.egressTo" -}}
- ports:
    {{- range .ports }}
    - { port: {{ . }}, protocol: TCP }
    {{- end }}
  {{- with .to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{- /* dict "root" "name" "port": egress to pods of this release. */ -}}
{{- define "audiosplit.egressToComponent" -}}
- to:
    - podSelector:
        matchLabels:
          {{- include "audiosplit.selector" . | nindent 10 }}
  ports:
    - { port: {{ .port }}, protocol: TCP }
{{- end -}}

{{- /* dict "root" "store": egress to postgresql, redis, kafka or storage. */ -}}
{{- define "audiosplit.egressToStore" -}}
{{- $root := .root -}}
{{- $all := .root.Values -}}
{{- $policy := index $all.networkPolicies .store -}}
{{- if include "audiosplit.isTrial" (dict "root" $root "engine" .store) -}}
{{- $ports := dict "postgresql" 5432 "redis" 6379 "kafka" 9092 "storage" 7070 -}}
{{ include "audiosplit.egressToComponent" (dict "root" $root "name" .store "port" (index $ports .store)) }}
{{- else if eq .store "kafka" -}}
{{- $ports := list -}}
{{- range $all.kafka.brokers -}}{{- $ports = append $ports (regexFind "[0-9]+$" .) -}}{{- end -}}
{{ include "audiosplit.egressTo" (dict "to" $policy.to "ports" (uniq $ports)) }}
{{- else if eq .store "storage" -}}
{{- $port := ternary (include "audiosplit.portOf" ($all.storage.endpoint | default "https://")) "443" (ne $all.storage.endpoint "") -}}
{{ include "audiosplit.egressTo" (dict "to" $policy.to "ports" (list $port)) }}
{{- else -}}
{{ include "audiosplit.egressTo" (dict "to" $policy.to "ports" (list (int $policy.port))) }}
{{- end -}}
{{- end -}}

{{- /* Egress to the internet, and to what operators allow beside it; every port, as sources may name one. */ -}}
{{- define "audiosplit.egressToInternet" -}}
- to:
    - ipBlock:
        cidr: 0.0.0.0/0
        except:
          {{- toYaml .Values.networkPolicies.internet.exceptIpv4 | nindent 10 }}
    - ipBlock:
        cidr: ::/0
        except:
          {{- toYaml .Values.networkPolicies.internet.exceptIpv6 | nindent 10 }}
    {{- range .Values.egress.allowCidrs }}
    - ipBlock: { cidr: {{ . | quote }} }
    {{- end }}
{{- end -}}
