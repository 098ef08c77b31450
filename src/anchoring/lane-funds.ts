import type { Ledger } from '../cardano/ledger/ledger.ts';
import type { Utxo } from '../cardano/transaction.ts';
import { lovelace } from '../platform/units/money.ts';
import { excludeLeased } from '../transactions/queries/utxo-leases.ts';
import type { Db } from '../platform/database/database.ts';

/** A lane that holds less is refilled. It still pays for 15 minutes of anchors: one every five seconds, 0.18 ADA each. */
export const REFILL_THRESHOLD = lovelace(40_000_000n);

/** A lane takes a whole output, so it starts with the smallest of at least this size: the rest stays for other transactions. */
const LANE_SIZE = lovelace(100_000_000n);

/**
 * The ADA-only outputs of the operator that no transaction or lane has leased: those of the size of a lane, the smallest first, then
 * the smaller ones, the largest first. Throws LEDGER_UNAVAILABLE.
 */
export async function freeOutputs(db: Db, ledger: Pick<Ledger, 'payingUtxos'>, address: string): Promise<Utxo[]> {
  return inLaneOrder(await excludeLeased(db, await ledger.payingUtxos(address)));
}

/** The order in which outputs are given to lanes. */
export function inLaneOrder(outputs: readonly Utxo[]): Utxo[] {
  const ascending = outputs.toSorted(byLovelace);
  const isLarge = (utxo: Utxo) => utxo.lovelace >= LANE_SIZE;
  return [...ascending.filter(isLarge), ...ascending.filter((utxo) => !isLarge(utxo)).toReversed()];
}

function byLovelace(one: Utxo, other: Utxo): number {
  return one.lovelace < other.lovelace ? -1 : 1;
}
