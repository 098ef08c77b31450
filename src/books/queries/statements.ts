import { type RawBuilder, sql } from 'kysely';
import { type OwnAddresses, vaultOutputs } from './holdings.ts';
import type { BoundedBalance, Movement } from '../rules/books.ts';
import type { FollowedBlock } from '../../ledger-follower/queries/blocks.ts';
import type { Db } from '../../platform/database/database.ts';
import { jsonInstant, type JsonTime, type StoredUtxo } from '../../platform/database/stored-json.ts';

/** A page of the movements of a vault, oldest first, and what its addresses held before and after them. */
export interface StatementPage {
  readonly opening: BoundedBalance;
  readonly movements: readonly Movement[];
  readonly closing: BoundedBalance;
  /** Key of the last movement of the page; null on the last page. */
  readonly next: string | null;
  /** The block that the ledger was followed to; null before the first. */
  readonly asOf: Pick<FollowedBlock, 'height' | 'hash' | 'time'> | null;
}

interface StatementRow {
  readonly opening: BalanceJson;
  readonly movements: readonly MovementJson[];
  readonly closing: BalanceJson;
  readonly as_of: { readonly height: number; readonly hash: string; readonly time: JsonTime } | null;
}

interface BalanceJson {
  readonly lovelace: string;
  readonly assets: StoredUtxo['assets'];
  readonly unlisted: number;
}

interface MovementJson extends Pick<Movement, 'direction' | 'address' | 'place'> {
  readonly key: string;
  readonly at: JsonTime;
  readonly hash: string | null;
  readonly lovelace: string;
  readonly assets: readonly StoredUtxo['assets'][];
}

/** Reads the row of a page of at most `limit` movements; it has one more if another page follows. */
function readStatementPage(row: StatementRow | undefined, limit: number): StatementPage {
  if (!row) throw new Error('a statement of aggregates has one row');
  const shown = row.movements.slice(0, limit);
  return {
    opening: readBalance(row.opening),
    movements: shown.map(({ at, hash, direction, address, place, lovelace, assets }) => {
      const moved = { lovelace: BigInt(lovelace), assets: sumOf(assets) };
      return { at: jsonInstant(at), transactionHash: hash, direction, address, place, ...moved };
    }),
    closing: readBalance(row.closing),
    next: row.movements.length > limit ? (shown.at(-1)?.key ?? null) : null,
    asOf: row.as_of && { ...row.as_of, time: jsonInstant(row.as_of.time) },
  };
}

function readBalance({ lovelace, assets, unlisted }: BalanceJson): BoundedBalance {
  return { lovelace: BigInt(lovelace), assets: sumOf([assets]), unlistedUnits: unlisted };
}

function sumOf(held: readonly StoredUtxo['assets'][]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const [unit, quantity] of held.flatMap((assets) => Object.entries(assets)))
    sums.set(unit, (sums.get(unit) ?? 0n) + BigInt(quantity));
  return sums;
}

/** How many units a balance lists that are neither tokens of the vault nor assets that it ever had. */
const MAX_UNITS_OF_OTHERS = 100;

interface StatementPart {
  /** Key of the movement before the page; the first page has none. */
  readonly after?: string | undefined;
  readonly limit: number;
  /** The policies of the vault's own tokens. */
  readonly policies: readonly string[];
}

/**
 * Reads, in one statement, the movements at the addresses of a vault by the transactions that are on the ledger at present. Any text
 * is a key: a page begins after it.
 */
export async function readStatement(
  db: Db,
  addresses: OwnAddresses,
  { after = '', limit, policies }: StatementPart,
): Promise<StatementPage> {
  const { rows } = await sql<StatementRow>`
    with outputs as materialized (select * from ${vaultOutputs(addresses)} as made),
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
      ),
      until_page as materialized (
        select *, key <= ${after} as is_before from keyed where key <= coalesce(
          (select key from page order by key limit 1 offset ${limit - 1}), (select max(key) from page), ${after})
      ),
      units as (
        select unit,
            left(unit, 56) = any(${policies}) or unit in (
              select policy_id || asset_name from assets where vault_id = ${addresses.vaultId}) as is_own,
            coalesce(sum(${signed(sql`quantity::numeric`)}) filter (where is_before), 0) as opening,
            sum(${signed(sql`quantity::numeric`)}) as closing
          from until_page cross join lateral jsonb_each_text(assets) as held (unit, quantity) group by unit
      )
    select
      ${balance('opening', sql`is_before`)} as opening,
      (select coalesce(json_agg(page order by key), '[]') from page) as movements,
      ${balance('closing', sql`true`)} as closing,
      (select json_build_object('height', height, 'hash', hash, 'time', made_at)
        from blocks order by height desc limit 1) as as_of`.execute(db);
  return readStatementPage(rows[0], limit);
}

/** What the addresses hold: of units of others no more than some, the first by their names. */
const balance = (column: 'opening' | 'closing', isCounted: RawBuilder<unknown>) => sql`(
  select json_build_object(
    'lovelace', (select coalesce(sum(${signed(sql`lovelace`)}), 0)::text from until_page where ${isCounted}),
    'assets', coalesce(json_object_agg(unit, quantity::text) filter (where ${isListed}), '{}'),
    'unlisted', count(*) filter (where not ${isListed}))
  from (
    select unit, is_own, ${sql.ref(column)} as quantity, row_number() over (partition by is_own order by unit) as position
      from units where ${sql.ref(column)} <> 0
  ) as held)`;

const isListed = sql`(is_own or position <= ${sql.lit(MAX_UNITS_OF_OTHERS)})`;

/** Orders movements by block and, in it, as their transactions were built: none spends what a later one makes. */
const keyColumn = sql`(to_char(at at time zone 'UTC', 'YYYYMMDDHH24MISSUS') || '/' ||
  to_char(ordered at time zone 'UTC', 'YYYYMMDDHH24MISSUS') || '/' || coalesce(hash, '') || '/' ||
  direction || '/' || address) collate "C"`;

const signed = (amount: ReturnType<typeof sql>) => sql`case direction when 'in' then ${amount} else -${amount} end`;
