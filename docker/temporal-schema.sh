#!/bin/sh
# Brings Temporal's two databases to the schema of its server; safe to repeat, and part of every upgrade.
set -eu

case $SQL_PASSWORD in
  *[\"\\\ ]*)
    echo 'TEMPORAL_DB_PASSWORD must not have a quotation mark, a backslash or a blank: Temporal cannot read it' >&2
    exit 1
    ;;
esac

for database in temporal temporal_visibility; do
  folder=$database
  [ "$database" = temporal_visibility ] && folder=visibility
  tool="temporal-sql-tool --plugin postgres12 --ep $POSTGRES_SEEDS --port $DB_PORT --user $POSTGRES_USER --db $database"
  $tool setup-schema --version 0.0 || echo "$database has a schema already"
  $tool update-schema --schema-dir "/etc/temporal/schema/postgresql/v12/$folder/versioned"
done
