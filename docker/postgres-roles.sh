#!/bin/bash
# First start of the cluster: the service and Temporal each get a role and databases of their own.
set -euo pipefail

psql --username=postgres --set=ON_ERROR_STOP=1 --set=vaults="$VAULTS_DB_PASSWORD" --set=temporal="$TEMPORAL_DB_PASSWORD" <<'SQL'
CREATE ROLE vaults LOGIN PASSWORD :'vaults';
CREATE DATABASE vaults OWNER vaults;
CREATE ROLE temporal LOGIN PASSWORD :'temporal';
CREATE DATABASE temporal OWNER temporal;
CREATE DATABASE temporal_visibility OWNER temporal;
SQL
