import { sql } from 'kysely';
import type { FundsOfDay } from '../domain/operator/runway.ts';
import { instant } from '../domain/units/instant.ts';
import { type Lovelace, lovelace } from '../domain/units/money.ts';
import type { Db } from './database.ts';
import { realDay } from './real-day.ts';

/** Records what the operator's address holds now. */
export async function recordOperatorFunds(db: Db, held: Lovelace): Promise<void> {
  await sql`
    insert into operator_funds as funds (day, held, spent, seen_at)
    values (${realDay}, ${held},
      greatest(0, (select held from operator_funds order by day desc limit 1) - ${held}::numeric), now())
    on conflict (day) do update
      set held = excluded.held, seen_at = excluded.seen_at, spent = funds.spent + greatest(0, funds.held - excluded.held)
  `.execute(db);
}

/** The latest days on which the operator's address was seen, latest first. */
export async function latestOperatorFunds(db: Db, days: number): Promise<FundsOfDay[]> {
  const rows = await db
    .selectFrom('operator_funds')
    .select([sql<Date>`day::timestamp at time zone 'utc'`.as('day'), 'held', 'spent', 'seen_at'])
    .orderBy('operator_funds.day', 'desc')
    .limit(days)
    .execute();
  return rows.map(({ day, held, spent, seen_at: seenAt }) => ({
    day: instant(day),
    held: lovelace(BigInt(held)),
    spent: lovelace(BigInt(spent)),
    seenAt: instant(seenAt),
  }));
}
