import { sql } from 'kysely';
import type { BookOutput } from '../rules/books.ts';
import { refText } from '../../transactions/rules/utxo-ref.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { readStoredUtxo } from '../../transactions/queries/stored-utxo.ts';
import type { VaultPlaces } from './output-sources.ts';
import { vaultOutputs } from './vault-outputs.ts';

/** Every output at the addresses of a vault, spent or not, as far as the ledger is followed. */
export async function bookOutputs(tx: Transaction, places: VaultPlaces): Promise<BookOutput[]> {
  const rows = await tx
    .selectFrom(vaultOutputs(places).as<'made'>(sql.ref('made')))
    .selectAll()
    .execute();
  return rows.map((row) => {
    const { tx_hash: txHash, output_index: index, address, lovelace, assets } = row;
    return {
      ...readStoredUtxo({ txHash, index, address, lovelace, assets }),
      ref: refText({ txHash, index }),
      place: row.place,
      isUnsolicited: row.unsolicited,
      isSpent: row.spent_at !== null,
      spender: row.spender,
    };
  });
}
