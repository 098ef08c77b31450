#!/bin/sh
# Runs a command of Temporal with the password of its databases, which is in TEMPORAL_DB_PASSWORD or in the file that
# TEMPORAL_DB_PASSWORD_FILE names. Temporal's programs read it from an environment alone: that of this process, which
# docker inspect does not show.
set -eu

password=${TEMPORAL_DB_PASSWORD:-}
[ -z "${TEMPORAL_DB_PASSWORD_FILE:-}" ] || password=$(cat "$TEMPORAL_DB_PASSWORD_FILE")
[ -n "$password" ] || { echo 'TEMPORAL_DB_PASSWORD is not set' >&2; exit 1; }

unset TEMPORAL_DB_PASSWORD
POSTGRES_PWD=$password SQL_PASSWORD=$password exec "$@"
