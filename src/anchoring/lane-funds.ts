import type { Ledger } from '../chain/ledger/ledger.ts';
import type { Utxo } from '../chain/transaction.ts';
import { lovelace } from '../domain/units/money.ts';
import { excludeLeased } from '../store/utxo-leases.ts';
import type { Db } from '../store/database.ts';

/** A lane that holds less is refilled. It still pays for 15 minutes of anchors: one every five seconds, 0.18 ADA each. */
export const REFILL_THRESHOLD = lovelace(40_000_000n);

/** The ADA-only outputs of the operator that no transaction or lane has leased, largest first. Throws LEDGER_UNAVAILABLE. */
export async function freeOutputs(db: Db, ledger: Pick<Ledger, 'payingUtxos'>, address: string): Promise<Utxo[]> {
  const free = await excludeLeased(db, await ledger.payingUtxos(address));
  return free.filter(({ assets }) => assets.size === 0).sort((a, b) => (a.lovelace < b.lovelace ? 1 : -1));
}
