import { type Kysely, sql } from 'kysely';

const tables = ['stakes', 'votes', 'endorsements', 'proposals', 'entitlements', 'claims', 'terminations'];

/** For use in migrations: for Postgres NaN is a number above all others, so `check (amount > 0)` lets it in, and one makes each sum NaN. */
const requireNumbers = `create function require_numbers(of_tables text[]) returns void language plpgsql as $make$
  declare number record;
  begin
    for number in select table_name, column_name from information_schema.columns
      where table_schema = current_schema() and table_name = any(of_tables) and data_type = 'numeric' and is_generated = 'NEVER'
      order by table_name, column_name
    loop
      execute format('alter table %1$I add constraint %2$I check (%3$I > ''-Infinity'' and %3$I < ''Infinity'') not valid',
        number.table_name, number.table_name || '_' || number.column_name || '_is_number', number.column_name);
    end loop;
  end
$make$`;

/** No amount of what holders stake, vote with and claim is NaN or infinite; what is stored is checked by migration 0102. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(requireNumbers).execute(db);
  await sql`select require_numbers(${tables})`.execute(db);
}
