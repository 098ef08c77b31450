import type { Utxo } from '../chain/transaction.ts';
import type { TransactionKind } from '../domain/transaction/transaction-state.ts';
import type { Db } from './database.ts';
import type { FoundOutput } from './unsolicited.ts';

/** Those outputs that no transaction of the platform made, whatever its state. */
export async function excludeOwnOutputs<Found extends FoundOutput>(db: Db, found: readonly Found[]): Promise<Found[]> {
  const ours = await ourKinds(
    db,
    found.map(({ utxo }) => utxo),
  );
  return found.filter(({ utxo }) => !ours.has(utxo.txHash));
}

/**
 * Kinds of transactions whose outputs in custody are never spent: what the settlement keeps for reclaimed deposits (design D13c), the
 * token whose datum says the decimals of the vault's own (design D21), which another output would not have, and the vault's NFT.
 */
const untouched: readonly string[] = ['liquidity', 'mint', 'create_vault'] satisfies TransactionKind[];

/** Those unspent outputs in a vault's custody that the vault can spend: made by the platform's transactions (design D16), except some kinds. */
export async function vaultSpendableUtxos(db: Db, inCustody: readonly Utxo[]): Promise<Utxo[]> {
  const ours = await ourKinds(db, inCustody);
  return inCustody.filter(({ txHash }) => {
    const kind = ours.get(txHash);
    return kind !== undefined && !untouched.includes(kind);
  });
}

/** The kind of each of their transactions that the platform recorded, by hash. */
async function ourKinds(db: Db, utxos: readonly Utxo[]): Promise<ReadonlyMap<string, string>> {
  if (utxos.length === 0) return new Map();
  const hashes = [...new Set(utxos.map(({ txHash }) => txHash))];
  const rows = await db.selectFrom('chain_transactions').select(['hash', 'kind']).where('hash', 'in', hashes).execute();
  return new Map(rows.map(({ hash, kind }) => [hash, kind]));
}
