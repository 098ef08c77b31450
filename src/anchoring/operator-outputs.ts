import type { Ledger } from '../chain/ledger/ledger.ts';
import type { Utxo } from '../chain/transaction.ts';
import { lovelace } from '../domain/units/money.ts';
import { excludeLeased } from '../store/utxo-leases.ts';
import type { Db } from '../store/database.ts';

/** A lane that holds less is filled up. At 0.18 ADA an anchor every five seconds this outlasts an outage of a quarter of an hour. */
export const REFILL_THRESHOLD = lovelace(40_000_000n);

/** The operator's outputs of plain ADA that nothing holds, the largest first. Raises LEDGER_UNAVAILABLE. */
export async function freeOutputs(db: Db, ledger: Pick<Ledger, 'utxos'>, address: string): Promise<Utxo[]> {
  const free = await excludeLeased(db, await ledger.utxos(address));
  return free.filter(({ assets }) => assets.size === 0).sort((a, b) => (a.lovelace < b.lovelace ? 1 : -1));
}
