import { type Kysely, sql } from 'kysely';

/**
 * Checks the amounts that are stored already, while others read and write them. Where one is no number the constraint stays as it is, for new
 * rows: such a row is reported when it is read, and must not keep a release from starting.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      `do $$
      declare unchecked record;
      begin
        for unchecked in select conrelid::regclass as of_table, conname from pg_constraint
          where not convalidated and conname like '%\\_is\\_number' order by conname
        loop
          begin
            execute format('alter table %s validate constraint %I', unchecked.of_table, unchecked.conname);
          exception when check_violation then
            raise warning 'a row of % has an amount that is no number: %', unchecked.of_table, unchecked.conname;
          end;
        end loop;
      end
    $$`,
    )
    .execute(db);
}
