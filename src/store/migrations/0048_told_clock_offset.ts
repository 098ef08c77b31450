import { type Kysely, sql } from 'kysely';

/** Whoever moves the development clock tells all processes, at its commit. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create function tell_clock_offset() returns trigger language plpgsql as $$
   begin
     perform pg_notify('clock_offset', new.offset_ms::text);
     return null;
   end $$`,
  `create trigger clock_offset_told after update on clock_offset
   for each row when (old.offset_ms <> new.offset_ms) execute function tell_clock_offset()`,
];
