{{- /* Egress to DNS. */ -}}
{{- define "audiosplit.egressToDns" -}}
- to:
    {{- toYaml .Values.networkPolicies.dns.to | nindent 4 }}
  ports:
    - { port: 53, protocol: UDP }
    - { port: 53, protocol: TCP }
{{- end -}}

{{- /* A peer: the pods of KEDA. */ -}}
{{- define "audiosplit.fromKeda" -}}
- namespaceSelector:
    matchLabels: { kubernetes.io/metadata.name: {{ .Values.splitter.autoscaling.keda.namespace }} }
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

{{- /*
The destinations outside of the release, by their names in networkPolicies, and their ports: a JSON object of lists. Engines of a trial
belong to the release.
*/ -}}
{{- define "audiosplit.outside" -}}
{{- $all := .Values -}}
{{- $policies := $all.networkPolicies -}}
{{- $outside := dict "postgresql" (list (int $policies.postgresql.port)) -}}
{{- if include "audiosplit.redisIsUsed" . -}}
{{- $_ := set $outside "redis" (list (int $policies.redis.port)) -}}
{{- end -}}
{{- $brokerPorts := list -}}
{{- range $all.kafka.brokers -}}{{- $brokerPorts = append $brokerPorts (regexFind "[0-9]+$" . | int) -}}{{- end -}}
{{- with $brokerPorts -}}{{- $_ := set $outside "kafka" (uniq .) -}}{{- end -}}
{{- $_ := set $outside "storage" (list (include "audiosplit.portOf" ($all.storage.endpoint | default "https://") | int)) -}}
{{- range $all.trial.engines -}}{{- $_ := unset $outside . -}}{{- end -}}
{{- with $all.tokens.jwksUrl -}}{{- $_ := set $outside "tokenIssuer" (list (include "audiosplit.portOf" . | int)) -}}{{- end -}}
{{- if $all.mail.smtp.existingSecret -}}{{- $_ := set $outside "mail" (list (int $policies.mail.port)) -}}{{- end -}}
{{- if eq (include "audiosplit.paymentProvider" .) "stripe" -}}{{- $_ := set $outside "payments" (list 443) -}}{{- end -}}
{{- with $all.tracing.endpoint -}}{{- $_ := set $outside "collector" (list (include "audiosplit.portOf" . | int)) -}}{{- end -}}
{{- $outside | toJson -}}
{{- end -}}

{{- /*
Egress to one of those: to the peers that values name, and to the internet if they allow it. Otherwise no rule, because a rule without
peers would allow any address. dict "root" "name"
*/ -}}
{{- define "audiosplit.egressToOutside" -}}
{{- $policy := index .root.Values.networkPolicies .name -}}
{{- $ports := index (include "audiosplit.outside" .root | fromJson) .name -}}
{{- if and $ports (or $policy.to $policy.internet) -}}
- to:
    {{- with $policy.to }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
    {{- if $policy.internet }}
    {{- include "audiosplit.internet" .root | nindent 4 }}
    {{- end }}
  ports:
    {{- range $ports }}
    - { port: {{ int . }}, protocol: TCP }
    {{- end }}
{{- end -}}
{{- end -}}

{{- /* dict "root" "store": egress to postgresql, redis, kafka or storage. */ -}}
{{- define "audiosplit.egressToStore" -}}
{{- if include "audiosplit.isTrial" (dict "root" .root "engine" .store) -}}
{{ include "audiosplit.egressToComponent" (dict "root" .root "name" .store "port" (include "audiosplit.trial.port" .store)) }}
{{- else -}}
{{ include "audiosplit.egressToOutside" (dict "root" .root "name" .store) }}
{{- end -}}
{{- end -}}

{{- /* Egress to the internet and to `egress.allowCidrs`, at every port, because sources may name one. */ -}}
{{- define "audiosplit.egressToInternet" -}}
- to:
    {{- include "audiosplit.internet" . | nindent 4 }}
    {{- range .Values.egress.allowCidrs }}
    - ipBlock: { cidr: {{ . | quote }} }
    {{- end }}
{{- end -}}

{{- define "audiosplit.internet" -}}
- ipBlock:
    cidr: 0.0.0.0/0
    except:
      {{- toYaml .Values.networkPolicies.internet.exceptIpv4 | nindent 6 }}
- ipBlock:
    cidr: ::/0
    except:
      {{- toYaml .Values.networkPolicies.internet.exceptIpv6 | nindent 6 }}
{{- end -}}
