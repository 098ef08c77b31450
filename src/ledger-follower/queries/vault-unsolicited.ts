import type { VaultAddressKind } from '../../vaults/rules/vault-address.ts';
import type { Db } from '../../platform/database/database.ts';
import { givenFields, type Page, readPage, type PageCount } from '../../platform/database/page.ts';
import { readUnsolicited, type UnsolicitedOutput } from './unsolicited.ts';

/** An unsolicited output with the fields of other tables that a response needs. */
export interface ListedOutput extends UnsolicitedOutput {
  /** Hash of the transaction that returns it; null while there is none. */
  readonly returnHash: string | null;
}

export interface UnsolicitedFilter {
  readonly vaultId: string;
  readonly place?: VaultAddressKind | undefined;
}

const columns = { seenAt: 'unsolicited_outputs.seen_at', lovelace: 'unsolicited_outputs.lovelace' } as const;

/** A page of a vault's unsolicited outputs, and the total. */
export async function listUnsolicited(
  db: Db,
  { vaultId, place }: UnsolicitedFilter,
  page: Page<keyof typeof columns>,
): Promise<{ outputs: ListedOutput[]; count: PageCount }> {
  const ofVault = db
    .selectFrom('unsolicited_outputs')
    .where('unsolicited_outputs.vault_id', '=', vaultId)
    .where((eb) => eb.and(givenFields({ place })));
  const withReturn = ofVault
    .leftJoin('chain_transactions', 'chain_transactions.id', 'unsolicited_outputs.return_transaction_id')
    .selectAll('unsolicited_outputs')
    .select('chain_transactions.hash as return_hash');
  const order = { columns, tieBreak: ['tx_hash', 'output_index'] };
  const { rows, count } = await readPage(db, withReturn, ofVault, order, page);
  const outputs = rows.map((row) => ({ ...readUnsolicited(row), returnHash: row.return_hash }));
  return { outputs, count };
}
