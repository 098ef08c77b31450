#!/bin/sh
# The service's namespace and the search attributes of src/platform/temporal/search-attributes.ts; safe to repeat.
# The server serves a new namespace, and new search attributes, only some seconds after it has accepted them.
set -eu

attributes='VaultId=Keyword VaultStatus=Keyword Phase=Keyword PhaseEndsAt=Datetime Network=Keyword'
attempts=60

# Asks for what is missing; succeeds when nothing is.
complete() {
  if ! temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1; then
    temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention 30d
    return 1
  fi
  known=$(temporal operator search-attribute list --namespace "$TEMPORAL_NAMESPACE") || return 1
  missing=0
  for attribute in $attributes; do
    name=${attribute%=*}
    echo "$known" | grep -qw "$name" && continue
    missing=1
    temporal operator search-attribute create --namespace "$TEMPORAL_NAMESPACE" --name "$name" --type "${attribute#*=}"
  done
  return $missing
}

until complete; do
  attempts=$((attempts - 1))
  if [ $attempts -eq 0 ]; then
    echo "namespace $TEMPORAL_NAMESPACE is not complete after a minute; the lines above say why" >&2
    exit 1
  fi
  echo "namespace $TEMPORAL_NAMESPACE is not complete yet"
  sleep 1
done
