import { type Kysely, sql } from 'kysely';

/** What the operator's address holds by one answer that shows less than before; null where no answer has, or a second one has confirmed it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table operator_funds add column seen_lower numeric
    constraint operator_funds_seen_lower_is_number check (seen_lower > '-Infinity' and seen_lower < 'Infinity')`.execute(
    db,
  );
}
