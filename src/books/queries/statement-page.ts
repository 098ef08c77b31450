import type { BoundedBalance, Movement } from '../rules/statement.ts';
import type { FollowedBlock } from '../../ledger-follower/queries/blocks.ts';
import { jsonInstant, type JsonTime } from '../../platform/database/json-columns.ts';
import type { StoredUtxo } from '../../transactions/queries/stored-utxo.ts';

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

/** The one row of the statement that reads a page. */
export interface StatementRow {
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
export function readStatementPage(row: StatementRow | undefined, limit: number): StatementPage {
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
