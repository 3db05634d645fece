{{- define "tollgate.name" -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}

{{- define "tollgate.labels" -}}
app.kubernetes.io/name: tollgate
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- /* Fails where a pod would not start, or not do what the values say. */ -}}
{{- define "tollgate.check" -}}
{{- if not .Values.secret -}}
{{- fail "secret is empty: name the Secret that has TOLLGATE_DATABASE_URL and the keys of your providers" -}}
{{- end -}}
{{- if not .Values.config.providers -}}
{{- fail "config.providers is empty: name at least one, such as config: { providers: { openai: { api_key: \"${OPENAI_API_KEY}\" } } }" -}}
{{- end -}}
{{- if hasKey .Values.config "database" -}}
{{- fail "config.database is not read: put TOLLGATE_DATABASE_URL into the Secret that `secret` names" -}}
{{- end -}}
{{- range $name := list "host" "port" "drain" -}}
{{- if hasKey ($.Values.config.server | default dict) $name -}}
{{- fail (printf "config.server.%s is not read: the chart sets it%s" $name (eq $name "drain" | ternary " (drainSeconds)" "")) -}}
{{- end -}}
{{- end -}}
{{- end -}}
