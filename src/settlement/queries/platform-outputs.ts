import { sql } from 'kysely';
import type { Unit, Utxo } from '../../cardano/transaction.ts';
import { unsolicitedReasons } from '../../assets/rules/asset.ts';
import { isSpendableFromCustody } from '../../transactions/rules/custody-outputs.ts';
import type { TransactionKind } from '../../transactions/rules/transaction-state.ts';
import { anyOf } from '../../platform/database/bulk-insert.ts';
import type { Db } from '../../platform/database/database.ts';
import { refText } from '../../transactions/rules/utxo-ref.ts';
import type { FoundOutput } from '../../ledger-follower/queries/unsolicited.ts';

// What transactions of another vault bring is a gift: whoever governs that one could otherwise put outputs into this one that have to move.

/** Those outputs that no transaction of the vault made, whatever its state, and what deposits that never counted have brought (design D16, D42). */
export async function excludeOwnOutputs<Found extends FoundOutput>(
  db: Db,
  vaultId: string,
  found: readonly Found[],
): Promise<Found[]> {
  const utxos = found.map(({ utxo }) => utxo);
  const [kinds, uncounted] = await Promise.all([recordedKinds(db, vaultId, utxos), uncountedDeposits(db, utxos)]);
  return found.filter(({ utxo }) => !kinds.has(utxo.txHash) || uncounted.has(refText(utxo)));
}

/** Those outputs in a vault's custody that the vault can spend: made by its own transactions (design D16), except some kinds. */
export async function vaultSpendableUtxos(db: Db, vaultId: string, inCustody: readonly Utxo[]): Promise<Utxo[]> {
  const kinds = await recordedKinds(db, vaultId, inCustody);
  return inCustody.filter(({ txHash }) => {
    const kind = kinds.get(txHash);
    return kind !== undefined && isSpendableFromCustody(kind);
  });
}

/** Those outputs that transactions of the vault made. */
export async function ownOutputs(db: Db, vaultId: string, utxos: readonly Utxo[]): Promise<Utxo[]> {
  const kinds = await recordedKinds(db, vaultId, utxos);
  return utxos.filter(({ txHash }) => kinds.has(txHash));
}

/**
 * Those outputs at the claims address of a vault that claims can spend: made by transactions of that vault that are on the ledger, and
 * with nothing but its token. What an execution or a hand-over brought counts in the pot once it is final, so that it cannot be spent before.
 */
export async function claimableOutputs(
  db: Db,
  { vaultId, ftUnit }: { readonly vaultId: string; readonly ftUnit: Unit },
  outputs: readonly Utxo[],
): Promise<Utxo[]> {
  const shared = outputs.filter(({ assets }) => [...assets.keys()].every((unit) => unit === ftUnit));
  if (shared.length === 0) return [];
  const rows = await db
    .selectFrom('chain_transactions')
    .select('hash')
    .where('hash', '=', anyOf([...new Set(shared.map(({ txHash }) => txHash))]))
    .where('vault_id', '=', vaultId)
    .where((eb) =>
      eb.or([eb('state', '=', 'final'), eb('state', '=', 'confirmed').and('kind', 'not in', ['execute', 'hand_over'])]),
    )
    .execute();
  const spendable = new Set(rows.map(({ hash }) => hash));
  return shared.filter(({ txHash }) => spendable.has(txHash));
}

/** Those of these outputs, as `<hash>#<index>`, whose asset never counted. */
async function uncountedDeposits(db: Db, utxos: readonly Utxo[]): Promise<ReadonlySet<string>> {
  if (utxos.length === 0) return new Set();
  const rows = await db
    .selectFrom('chain_transactions')
    .innerJoin('assets', 'add_transaction_id', 'chain_transactions.id')
    .select(['hash as txHash', 'deposit_index as index'])
    .where('hash', '=', sql<string>`any(${utxos.map(({ txHash }) => txHash)}::text[])`)
    .where('release_reason', 'in', unsolicitedReasons)
    .execute();
  return new Set(rows.map(refText));
}

/** The kinds of the recorded transactions of a vault that made these outputs, by hash; others are left out. */
async function recordedKinds(
  db: Db,
  vaultId: string,
  utxos: readonly Utxo[],
): Promise<ReadonlyMap<string, TransactionKind>> {
  if (utxos.length === 0) return new Map();
  const hashes = [...new Set(utxos.map(({ txHash }) => txHash))];
  const rows = await db
    .selectFrom('chain_transactions')
    .select(['hash', 'kind'])
    .where('hash', '=', anyOf(hashes))
    .where('vault_id', '=', vaultId)
    .execute();
  return new Map(rows.map(({ hash, kind }) => [hash, kind]));
}
