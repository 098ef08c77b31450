#!/bin/sh
# The service's namespace and the search attributes of src/temporal/search-attributes.ts; safe to repeat.
set -eu

temporal operator namespace describe --namespace vaults >/dev/null 2>&1 ||
  temporal operator namespace create --namespace vaults --retention 30d
known=$(temporal operator search-attribute list --namespace vaults)
for attribute in VaultId=Keyword VaultStatus=Keyword Phase=Keyword PhaseEndsAt=Datetime Network=Keyword; do
  name=${attribute%=*}
  echo "$known" | grep -qw "$name" ||
    temporal operator search-attribute create --namespace vaults --name "$name" --type "${attribute#*=}"
done
