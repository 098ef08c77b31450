#!/bin/bash
# First start of the cluster: roles and databases of the service and of Temporal. Safe to repeat, which also sets the passwords:
#   docker compose exec postgres /docker-entrypoint-initdb.d/roles.sh
set -euo pipefail

# A password is in a variable or in the file that <variable>_FILE names.
for variable in VAULTS_DB_PASSWORD VAULTS_API_DB_PASSWORD VAULTS_WORKER_DB_PASSWORD TEMPORAL_DB_PASSWORD; do
  file=${variable}_FILE
  [ -z "${!file:-}" ] || printf -v "$variable" %s "$(<"${!file}")"
  [ -n "${!variable:-}" ] || { echo "$variable is not set" >&2; exit 1; }
done

psql --username=postgres --set=ON_ERROR_STOP=1 --set=vaults="$VAULTS_DB_PASSWORD" --set=vaults_api="$VAULTS_API_DB_PASSWORD" \
  --set=vaults_worker="$VAULTS_WORKER_DB_PASSWORD" --set=temporal="$TEMPORAL_DB_PASSWORD" <<'SQL'
SELECT format('CREATE ROLE %I LOGIN', role) FROM unnest(ARRAY['vaults', 'vaults_api', 'vaults_worker', 'temporal']) AS role
  WHERE role NOT IN (SELECT rolname FROM pg_roles) \gexec
ALTER ROLE vaults PASSWORD :'vaults';
ALTER ROLE vaults_api PASSWORD :'vaults_api';
ALTER ROLE vaults_worker PASSWORD :'vaults_worker';
ALTER ROLE temporal PASSWORD :'temporal';

SELECT format('CREATE DATABASE %I OWNER %I', name, owner)
  FROM (VALUES ('vaults', 'vaults'), ('temporal', 'temporal'), ('temporal_visibility', 'temporal')) AS wanted (name, owner)
  WHERE name NOT IN (SELECT datname FROM pg_database) \gexec
REVOKE ALL ON DATABASE vaults, temporal, temporal_visibility FROM PUBLIC;
GRANT CONNECT ON DATABASE vaults TO vaults_api, vaults_worker;
SQL
