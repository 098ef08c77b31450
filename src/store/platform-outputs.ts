import { sql } from 'kysely';
import type { Unit, Utxo } from '../chain/transaction.ts';
import { isSpendableFromCustody } from '../domain/transaction/custody-outputs.ts';
import type { TransactionKind } from '../domain/transaction/transaction-state.ts';
import { anyOf } from './bulk-insert.ts';
import type { Db } from './database.ts';
import { refText } from '../domain/transaction/utxo-ref.ts';
import type { FoundOutput } from './unsolicited.ts';

/**
 * Those outputs that no transaction of the platform made, whatever its state, and what duplicates of an NFT have brought
 * (design D42).
 */
export async function excludeOwnOutputs<Found extends FoundOutput>(db: Db, found: readonly Found[]): Promise<Found[]> {
  const utxos = found.map(({ utxo }) => utxo);
  const [kinds, duplicates] = await Promise.all([recordedKinds(db, utxos), duplicateDeposits(db, utxos)]);
  return found.filter(({ utxo }) => !kinds.has(utxo.txHash) || duplicates.has(refText(utxo)));
}

/** Those outputs in a vault's custody that the vault can spend: made by transactions of the platform (design D16), except some kinds. */
export async function vaultSpendableUtxos(db: Db, inCustody: readonly Utxo[]): Promise<Utxo[]> {
  const kinds = await recordedKinds(db, inCustody);
  return inCustody.filter(({ txHash }) => {
    const kind = kinds.get(txHash);
    return kind !== undefined && isSpendableFromCustody(kind);
  });
}

/** Those outputs that transactions of the platform made. */
export async function platformOutputs(db: Db, utxos: readonly Utxo[]): Promise<Utxo[]> {
  const kinds = await recordedKinds(db, utxos);
  return utxos.filter(({ txHash }) => kinds.has(txHash));
}

/**
 * Those outputs at the claims address of a vault that claims can spend: made by transactions of the platform that are on the ledger, and
 * with nothing but the vault's token. What an execution or a hand-over brought counts in the pot once it is final, so that it cannot be spent before.
 */
export async function potOutputs(db: Db, outputs: readonly Utxo[], ftUnit: Unit | null): Promise<Utxo[]> {
  const shared = outputs.filter(({ assets }) => [...assets.keys()].every((unit) => unit === ftUnit));
  if (shared.length === 0) return [];
  const rows = await db
    .selectFrom('chain_transactions')
    .select('hash')
    .where('hash', '=', anyOf([...new Set(shared.map(({ txHash }) => txHash))]))
    .where((eb) =>
      eb.or([eb('state', '=', 'final'), eb('state', '=', 'confirmed').and('kind', 'not in', ['execute', 'hand_over'])]),
    )
    .execute();
  const spendable = new Set(rows.map(({ hash }) => hash));
  return shared.filter(({ txHash }) => spendable.has(txHash));
}

/** Those of these outputs, as `<hash>#<index>`, whose asset was released as a duplicate. */
async function duplicateDeposits(db: Db, utxos: readonly Utxo[]): Promise<ReadonlySet<string>> {
  if (utxos.length === 0) return new Set();
  const rows = await db
    .selectFrom('chain_transactions')
    .innerJoin('assets', 'add_transaction_id', 'chain_transactions.id')
    .select(['hash as txHash', 'deposit_index as index'])
    .where('hash', '=', sql<string>`any(${utxos.map(({ txHash }) => txHash)}::text[])`)
    .where('release_reason', '=', 'duplicate')
    .execute();
  return new Set(rows.map(refText));
}

/** The kinds of the recorded transactions that made these outputs, by hash; unknown transactions are left out. */
async function recordedKinds(db: Db, utxos: readonly Utxo[]): Promise<ReadonlyMap<string, TransactionKind>> {
  if (utxos.length === 0) return new Map();
  const hashes = [...new Set(utxos.map(({ txHash }) => txHash))];
  const rows = await db
    .selectFrom('chain_transactions')
    .select(['hash', 'kind'])
    .where('hash', '=', anyOf(hashes))
    .execute();
  return new Map(rows.map(({ hash, kind }) => [hash, kind]));
}
