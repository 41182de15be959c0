{{- define "orb.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "orb.labels" -}}
{{ include "orb.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "orb.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ with .Values.image.digest }}@{{ . }}{{ end }}
{{- end }}

{{- define "orb.scheme" -}}
{{ empty .Values.tls.secret | ternary "http" "https" }}
{{- end }}

{{- /* What follows from other values; the settings of the operator win. */}}
{{- define "orb.settings" -}}
{{- $own := dict -}}
{{- if eq .Values.store.type "postgres" }}{{ $_ := set $own "store" (dict "several_nodes" true) }}{{ end -}}
{{- if .Values.ingress.enabled }}{{ $_ := set $own "public_url" (printf "https://%s" .Values.ingress.host) }}{{ end -}}
{{- if .Values.tls.secret }}
{{- $pair := dict "cert" (dict "$file" "/etc/orb/tls/tls.crt") "key" (dict "$file" "/etc/orb/tls/tls.key") -}}
{{- $_ := set $own "listen" (list (dict "address" "0.0.0.0:8080" "tls" $pair)) -}}
{{- end -}}
{{- toPrettyJson (mergeOverwrite $own (deepCopy .Values.settings)) -}}
{{- end }}
