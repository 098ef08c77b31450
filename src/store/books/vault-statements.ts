import { sql } from 'kysely';
import type { Db } from '../database.ts';
import type { VaultPlaces } from './output-sources.ts';
import { readStatementPage, type StatementPage, type StatementRow } from './statement-page.ts';
import { vaultOutputs } from './vault-outputs.ts';

interface StatementPart {
  /** Key of the movement before the page; the first page has none. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/**
 * Reads, in one statement, the movements at the addresses of a vault by the transactions that are on the ledger at present. Any text
 * is a key: a page begins after it.
 */
export async function readStatement(
  db: Db,
  places: VaultPlaces,
  { after = '', limit }: StatementPart,
): Promise<StatementPage> {
  const { rows } = await sql<StatementRow>`
    with outputs as materialized (select * from ${vaultOutputs(places)} as made),
      entries as (
        select made_at as at, made_order as ordered, tx_hash as hash, 'in' as direction, address, place, lovelace, assets
          from outputs
        union all
        select spent_at, spent_order, spender, 'out', address, place, lovelace, assets from outputs
          where spent_at is not null
      ),
      keyed as materialized (select *, ${keyColumn} as key from entries),
      page as (
        select key, at, hash, direction, address, place, sum(lovelace)::text as lovelace, json_agg(assets) as assets
          from keyed where key > ${after} group by key, at, hash, direction, address, place order by key limit ${limit + 1}
      )
    select
      (select coalesce(sum(${signed(sql`lovelace`)}), 0)::text from keyed where key <= ${after}) as opening_lovelace,
      (select coalesce(json_object_agg(unit, quantity), '{}') from (
        select unit, sum(${signed(sql`quantity::numeric`)})::text as quantity
          from keyed cross join lateral jsonb_each_text(assets) as held (unit, quantity)
          where key <= ${after} group by unit having sum(${signed(sql`quantity::numeric`)}) <> 0
      ) as sums) as opening_assets,
      (select coalesce(json_agg(page order by key), '[]') from page) as movements,
      (select json_build_object('height', height, 'hash', hash, 'time', made_at)
        from blocks order by height desc limit 1) as as_of`.execute(db);
  return readStatementPage(rows[0], limit);
}

/** Orders movements by block and, in it, as their transactions were built: none spends what a later one makes. */
const keyColumn = sql`(to_char(at at time zone 'UTC', 'YYYYMMDDHH24MISSUS') || '/' ||
  to_char(ordered at time zone 'UTC', 'YYYYMMDDHH24MISSUS') || '/' || coalesce(hash, '') || '/' ||
  direction || '/' || address) collate "C"`;

const signed = (amount: ReturnType<typeof sql>) => sql`case direction when 'in' then ${amount} else -${amount} end`;
