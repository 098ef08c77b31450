import { type Kysely, sql } from 'kysely';

/**
 * The offset of the development clock, read after its lock is held. One call instead of two statements for each transaction; each statement
 * of a volatile function sees what was committed before it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function locked_clock_offset() returns numeric language plpgsql volatile as $$
      begin
        perform pg_advisory_xact_lock_shared(hashtextextended('clock', 0));
        return (select offset_ms from clock_offset);
      end
    $$
  `.execute(db);
}
