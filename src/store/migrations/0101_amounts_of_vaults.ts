import { type Kysely, sql } from 'kysely';

/** The same as migration 0100 for the amounts in all other tables. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    select require_numbers(array(
      select distinct table_name::text from information_schema.columns
      where table_schema = current_schema() and data_type = 'numeric' and is_generated = 'NEVER'
        and not exists (select from pg_constraint
          where conrelid = format('%I.%I', table_schema, table_name)::regclass and conname = table_name || '_' || column_name || '_is_number')))
  `.execute(db);
}
