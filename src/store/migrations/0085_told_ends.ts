import { type Kysely, sql } from 'kysely';

/**
 * When the claims of a vault ended, and whether its liquidity share lies where the platform has no key for it; null for what an earlier
 * release recorded.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table terminations add column claims_ended_at timestamptz, add column liquidity_elsewhere boolean`.execute(
    db,
  );
}
