import { sql } from 'kysely';
import type { FundsOfDay } from '../rules/runway.ts';
import { instant } from '../../platform/units/instant.ts';
import { type Lovelace, lovelace } from '../../platform/units/money.ts';
import type { Db } from '../../platform/database/database.ts';
import { realDay } from './real-day.ts';

/**
 * Records what the operator's address holds now. What is less than before counts once two answers in a row have shown it: a backend may know
 * nothing of the address for a moment, and all that it holds would be spent on that day.
 */
export async function recordOperatorFunds(db: Db, now: Lovelace): Promise<void> {
  const seen = sql`${now}::numeric`;
  const confirmed = sql`least(funds.held, greatest(${seen}, funds.seen_lower))`;
  await sql`
    insert into operator_funds as funds (day, held, spent, seen_at, seen_lower)
    select ${realDay}, greatest(${seen}, before.held), 0, now(), case when ${seen} < before.held then ${seen} end
      from (select (${heldLast}) as held) as before
    on conflict (day) do update set seen_at = excluded.seen_at,
      held = case when ${seen} >= funds.held then ${seen} when funds.seen_lower is null then funds.held else ${confirmed} end,
      spent = funds.spent + case when ${seen} >= funds.held or funds.seen_lower is null then 0 else funds.held - ${confirmed} end,
      seen_lower = case when ${seen} < funds.held and (funds.seen_lower is null or ${seen} < ${confirmed}) then ${seen} end
  `.execute(db);
}

/** Days that are still to come are of a clock that was ahead. */
const heldLast = sql`select held from operator_funds where day <= ${realDay} order by day desc limit 1`;

/** The latest days on which the operator's address was seen, latest first. */
export async function latestOperatorFunds(db: Db, days: number): Promise<FundsOfDay[]> {
  const rows = await db
    .selectFrom('operator_funds')
    .select([sql<Date>`day::timestamp at time zone 'utc'`.as('day'), 'held', 'spent', 'seen_at'])
    .where('day', '<=', realDay)
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
